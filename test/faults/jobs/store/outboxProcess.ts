// A window that sends prompts, as a separate process that can be killed. It prints what users and the service have
// seen: `kept P` when a prompt is on disk, `POST P` when the service received it, `refused P` when it could not be saved.
//
//   outboxProcess FOLDER once NUMBER BLOW   one prompt, one follow-up and a poll, with a fault at operation NUMBER
//   outboxProcess FOLDER waits NUMBER BLOW  one prompt, a follow-up that waits for its run, and the end of the run (`ended`)
//   outboxProcess FOLDER again              another window, in which the run ends
//   outboxProcess FOLDER loop PREFIX        an endless sequence of prompts
//   outboxProcess FOLDER claim COUNT        claims COUNT names, together with other processes, and prints those it won (`won`)
//   outboxProcess FOLDER fill               prompts until the disk is full, then one more when there is some room again
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs, { rmSync, writeFileSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { systemClock as clock } from '../../../../src/base/async';
import { queueKey } from '../../../../src/jobs/sendOnce';
import { JobEngine } from '../../../../src/jobs/jobEngine';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import { openLeaderFile } from '../../../../src/jobs/store/leaderFile';
import { QuotaFiles } from '../../../../src/jobs/store/quotaFiles';
import { claim } from '../../../../src/jobs/store/writeDurably';
import type { WireJob } from '../../../../src/protocol/job';
import { ScriptedNews } from '../../../support/scriptedJobApi';

/** The fault to inject into one file operation. */
export type Fault = 'kill before' | 'kill after' | 'ENOSPC' | 'EIO' | 'EROFS';

const CALLS = ['open', 'mkdir', 'readdir', 'readFile', 'rename', 'rm', 'stat', 'utimes', 'writeFile'] as const;
const HANDLE_CALLS = ['writeFile', 'sync', 'close'] as const;

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Counts every file operation of this process and injects a fault into one of them. Returns the number of operations.
 */
function injectFaultAt(operation: number, blow: Fault): () => number {
  let count = 0;
  const struck =
    (call: Call): Call =>
    async (...args) => {
      const isIt = ++count === operation;
      if (isIt && blow !== 'kill after') {
        triggerFault(blow);
      }
      const result = await call(...args);
      if (isIt) {
        triggerFault(blow);
      }
      return result;
    };
  const promises = fs.promises as unknown as Record<string, Call>;
  for (const name of CALLS) {
    const call = promises[name]?.bind(fs.promises);
    if (call !== undefined) {
      promises[name] = struck(name === 'open' ? async (...args) => withFaults(await call(...args), struck) : call);
    }
  }
  syncBuiltinESMExports();
  return () => count;
}

function withFaults(opened: unknown, struck: (call: Call) => Call): unknown {
  const handle = opened as FileHandle & Record<string, Call>;
  for (const name of HANDLE_CALLS) {
    Object.defineProperty(handle, name, { value: struck((handle[name] as Call).bind(handle)) });
  }
  return handle;
}

function triggerFault(blow: Fault): void {
  if (blow === 'kill before' || blow === 'kill after') {
    process.kill(process.pid, 'SIGKILL');
    return;
  }
  throw Object.assign(new Error(`${blow}: injected`), { code: blow });
}

const [folder = '', mode = 'once', first = '0', blow = 'EIO'] = process.argv.slice(2);
const location = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
const ignore = (): void => undefined;
const log = { info: ignore, warn: ignore, error: ignore };

/** Written synchronously, so that it is out even if the next step kills this process. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function answer(prompt: string, id: string): Promise<WireJob> {
  say(`POST ${prompt}`);
  await new Promise(setImmediate);
  return { id, status: 'active', prLink: null };
}

/** The service's answer for every job. */
let status = 'completed';

const engine = new JobEngine({
  files: new JobFiles(join(folder, 'jobs'), log),
  budget: new QuotaFiles(join(folder, 'budget'), 100_000),
  leader: openLeaderFile(join(folder, 'leader.json'), log),
  news: new ScriptedNews(),
  api: {
    open: async () => ({
      create: (prompt) => answer(prompt, `job-${prompt}`),
      message: (id, prompt) => answer(prompt, id),
    }),
    probe: async () => undefined,
    retrieve: async (_location, id) => ({ id, status, prLink: null }),
  },
  uiProbe: { ping: async () => undefined },
  notifier: {
    shouldNotify: () => true,
    isInFront: () => true,
    onDidComeToFront: () => ({ dispose: ignore }),
    show: ignore,
  },
  clock,
  random: Math.random,
  newId: () => randomBytes(8).toString('hex'),
  log,
});

async function send(prompt: string): Promise<string | undefined> {
  try {
    const kept = await engine.outbox.create(location, prompt);
    say(`kept ${prompt}`);
    const { job, prompt: sent } = await kept.sent;
    say(`${sent.state} ${prompt}`);
    return job.key;
  } catch {
    say(`refused ${prompt}`);
    return undefined;
  }
}

/** Resolves when everything that the end of the run releases has been sent. */
async function endRun(): Promise<void> {
  await engine.poller.pollNow();
  say('ended now');
  status = 'completed';
  await engine.poller.pollNow();
  await engine.loop.drain(queueKey(location, 'followUp'));
}

if (mode === 'claim') {
  say('ready now');
  await once(process.stdin, 'data');
  process.stdin.destroy();
  for (let index = 0; index < Number(first); index++) {
    if (await claim(folder, `claim-${index}`)) {
      say(`won ${index}`);
    }
  }
} else if (mode === 'waits') {
  status = 'active';
  const operations = injectFaultAt(Number(first), blow as Fault);
  await engine.open();
  const job = engine.store.get((await send('one')) ?? '');
  if (job?.snapshot !== undefined) {
    const { sent } = await engine.outbox.followUp(job, 'later', { afterRun: true });
    say('kept later');
    await sent;
    await endRun();
  }
  say(`operations ${operations()}`);
  process.exit(0);
} else if (mode === 'again') {
  status = 'active';
  await engine.open();
  await endRun();
  process.exit(0);
} else if (mode === 'once') {
  const operations = injectFaultAt(Number(first), blow as Fault);
  await engine.open();
  const key = await send('one');
  const job = engine.store.get(key ?? '');
  if (job?.snapshot !== undefined) {
    await engine.outbox.followUp(job, 'two').then(
      (kept) => {
        say('kept two');
        return kept.sent;
      },
      () => say('refused two'),
    );
    await engine.poller.pollNow();
  }
  say(`operations ${operations()}`);
  // A failed write is retried after a second or two.
  setTimeout(() => process.exit(0), blow.startsWith('kill') ? 0 : 2500);
} else if (mode === 'loop') {
  await engine.open();
  for (let number = 0; ; number++) {
    await send(`${first}-${number}`);
  }
} else {
  const ballast = join(folder, 'ballast');
  writeFileSync(ballast, Buffer.alloc(64 * 1024));
  await engine.open();
  for (let number = 0, refused = 0; refused < 5; number++) {
    refused += (await send(`${number} ${'x'.repeat(3000)}`)) === undefined ? 1 : 0;
  }
  rmSync(ballast);
  await send('with room');
  setTimeout(() => process.exit(0), 8000);
}
