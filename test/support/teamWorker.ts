// A worker in its own process, for tests that kill or suspend it: `node teamWorker.mjs OPTIONS`, which are JSON.
import { readFileSync } from 'node:fs';
import { TokenStore } from '../../src/local-service/forges/credentials';
import { JobChange } from '../../src/local-service/store/jobChange';
import { WorkerRun } from '../../src/team-service/workerLoop';
import { runWorker, type WorkerTimings } from '../../src/team-service/worker';

/** A test's options for the worker that it starts. */
export interface TeamWorkerOptions {
  database: string;
  data: string;
  concurrency: number;
  keepDays: number;
  supervisor: string[];
  timings: Partial<WorkerTimings>;
  /** Whether it continues a turn that it has lost, to prove that tests detect that. */
  isUnfenced: boolean;
}

const options = JSON.parse(readFileSync(0, 'utf8')) as TeamWorkerOptions;
if (options.isUnfenced) {
  JobChange.claimed = (transaction, { jobId }, _state, work) => JobChange.locked(transaction, jobId, work);
  WorkerRun.prototype.lose = () => undefined;
  options.timings.fenceMs = 1_000_000;
}
const say = (level: string) => (message: string, error?: unknown) => {
  process.stderr.write(`${level}: ${message} ${error instanceof Error ? (error.stack ?? error.message) : ''}\n`);
};
const worker = await runWorker({
  ...options,
  program: options.supervisor.at(-2) ?? '',
  turnTimeoutMs: 120_000,
  environment: process.env,
  tokens: new TokenStore(),
  log: { info: say('info'), warn: say('warn'), error: say('error') },
});
process.stdout.write(`${worker.name}\n`);
process.on('SIGTERM', () => void worker.stop().then(() => process.exit(0)));
