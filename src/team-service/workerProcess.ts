import type { Logger } from '../base/logger';
import type { Redactor } from '../base/redact';
import { TokenStore } from '../local-service/forges/credentials';
import { Lifetime } from '../local-service/lifetime';
import { readGitTokens } from './gitTokens';
import type { WorkerSettings } from './teamCommandLine';
import { runWorker } from './worker';

/**
 * Runs a worker until a signal ends it. Resolves when it is ready.
 *
 * @param program the file that runs, which is also started as a supervisor
 */
export async function workerProcess(
  settings: WorkerSettings,
  program: string,
  { log, redactor }: { log: Logger; redactor: Redactor },
): Promise<void> {
  const environment = process.env;
  const tokens = new TokenStore((token) => redactor.add(token));
  await readGitTokens(environment, tokens);
  const supervisor = [process.execPath, program, '--supervise'];
  const worker = await runWorker({ ...settings, supervisor, program, environment, tokens, log });
  const activity = () => ({ turns: 0, requests: 0, followers: 0, requestsInAll: 0 });
  const end = async (): Promise<void> => {
    log.info('stopping, and giving back the runs');
    await worker.stop();
  };
  new Lifetime({ activity, idleMs: 0, log, end });
  worker.failed.catch((error: unknown) => {
    log.error('the worker has ended', error);
    process.exit(1);
  });
  log.info(`worker ${worker.name} takes jobs, ${settings.concurrency} at once`);
  process.stdout.write(`${JSON.stringify({ ready: true, worker: worker.name })}\n`);
}
