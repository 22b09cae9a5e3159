// An agent for tests with several workers: `node exclusiveAgent.mjs JOURNAL`. It holds a name that only one process on
// this machine can hold, one per job, and writes into a journal what it does: `start`, `end`, or `twice`, if another
// agent of the job is running. It does what the last line of the form `[turn NAME wait MS]` in its prompt says. With `[limit SECONDS]` in the prompt, it first
// fails once because of a usage limit.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// Ends only when it is killed, so that a second agent that starts too early finds it.
process.on('SIGTERM', () => undefined);
const [journal] = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
const [, name, ms] = [...prompt.matchAll(/\[turn (\S+) wait (\d+)\]/g)].at(-1);
const note = (what) => appendFileSync(journal, `${what} ${name}\n`);
// A name in Linux's abstract namespace, which is free again as soon as the process is gone.
const lock = createServer();
lock.on('error', () => {
  note('twice');
  process.exit(1);
});
lock.listen(`\0${basename(dirname(journal))}-${name.split('/')[0]}`, async () => {
  note('start');
  const [, seconds] = /\[limit (\d+)\]/.exec(prompt) ?? [];
  if (seconds !== undefined && !existsSync('half.md')) {
    writeFileSync('half.md', 'half\n');
    console.log(`Usage limit reached. Try again in ${seconds} seconds.`);
    process.exit(1);
  }
  await delay(Number(ms));
  writeFileSync(`${name.replace('/', '-')}.md`, `# ${name}\n`);
  note('end');
  process.exit(0);
});
