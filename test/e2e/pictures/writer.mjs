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
    'Failed requests are retried a few times. Set `attempts` to change how often.',
    'Failed requests are retried three times. Set `attempts` to change [how often](retries.md).',
  );
  await writeFile(START, after);
  await writeFile(
    'docs/retries.md',
    '# Retries\n\nThe delay before the second attempt is 250 ms. It doubles each time.\n\nSet `attempts` and `baseDelayMs` in a `RetryPolicy` to change both.\n',
  );
  process.stdout.write(
    'I explained how often failed requests are retried, and added a page on the delay between attempts and its settings.\n',
  );
} else {
  await writeFile('docs/webhooks.md', '# Webhooks\n\nA webhook calls your URL when a request finishes.\n');
  process.stdout.write('I added a page on webhooks.\n');
}
