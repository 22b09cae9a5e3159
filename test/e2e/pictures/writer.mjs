// The agent in the pictures: a program that writes prose, so that they show what a result looks like.
import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

const START = 'docs/getting-started.md';
const prompt = await text(process.stdin);
if (prompt.includes('retry')) {
  await setTimeout(5_000);
  const before = await readFile(START, 'utf8');
  const after = before.replace(
    'A request that fails is tried again. How often is set by `attempts`.',
    'A request that fails is sent again after [a pause](retries.md). How often is set by `attempts`, which is 4 by default.',
  );
  await writeFile(START, after);
  await writeFile(
    'docs/retries.md',
    '# Retries\n\nThe pause before the second attempt is 250 ms. It doubles each time.\n\nSet `attempts` and `baseDelayMs` in a `RetryPolicy` to change both.\n',
  );
  process.stdout.write(
    'I said how often a failed request is sent, and added a page on the pauses between attempts with the two settings.\n',
  );
} else {
  await writeFile('docs/webhooks.md', '# Webhooks\n\nA webhook calls your URL when a request has ended.\n');
  process.stdout.write('I added a page on webhooks.\n');
}
