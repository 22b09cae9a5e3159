import { systemClock } from '../base/async';
import type { Logger } from '../base/logger';
import { coded } from '../protocol/codedText';
import { toPublicUrl } from '../local-service/git/userRepository';
import { listen, type Listener } from '../local-service/http/listen';
import { ArchiveRefused } from '../local-service/jobs/jobArchive';
import { JobOperations } from '../local-service/jobs/jobOperations';
import type { JobStore } from '../local-service/store/jobStore';
import { Lifetime } from '../local-service/lifetime';
import { createTeamApp, metrics } from './http/teamApp';
import { teamBinding } from './http/teamBinding';
import { checkWritable, connectDatabase } from './store/connectDatabase';
import { KeyStore } from './store/keyStore';
import { openTeamStore } from './store/teamStore';
import type { ApiOptions } from './teamCommandLine';
import { TurnQueue } from './turnQueue';

/** How long a client waits for a worker to stop, in milliseconds. Shorter than a client's timeout. */
const STOP_MS = 10_000;

/** Runs an API process until a signal ends it. Resolves when it is ready. */
export async function api(options: ApiOptions, log: Logger): Promise<void> {
  const listener = await startApi(options, log);
  const activity = () => ({ turns: 0, ...listener.activity() });
  const end = async (): Promise<void> => {
    log.info('stopping');
    await listener.close();
  };
  new Lifetime({ activity, idleMs: 0, log, end });
  log.info(`listening on ${options.host}, port ${listener.port}`);
  process.stdout.write(`${JSON.stringify({ ready: true, port: listener.port })}\n`);
}

/** Answers requests until it is closed. */
export async function startApi(options: ApiOptions, log: Logger): Promise<Listener> {
  const { database: url, connections, rateLimit: perHour } = options;
  const binding = teamBinding(options);
  const database = connectDatabase({ url, connections, keepsPlans: true, clock: systemClock, log });
  // Workers supervise the queue.
  const queue = await TurnQueue.open(database, { supervise: false }, log);
  const store = await openTeamStore(database, queue.enqueue);
  const jobs = new JobOperations({
    store,
    perHour,
    // Workers learn about new turns through the queue.
    runner: {
      start: ({ jobId }) => log.info(`job ${jobId}: prompt accepted`),
      cancel: (jobId) => untilStopped(store, jobId, STOP_MS),
      // A worker that has room takes a turn at once.
      isFull: true,
    },
    archive: {
      async archive(jobId) {
        if (!(await store.archiveJob(jobId))) {
          throw new ArchiveRefused(coded('jobActive'));
        }
      },
    },
    // Only workers have clones. The end of a job's branch name keeps it distinct from the repository's own branches.
    repository: {
      headAndJobBranches: async () => ({ head: undefined, jobBranches: new Set() }),
      address: async (repository) => toPublicUrl(repository) ?? '',
    },
    reviewLink: () => null,
  });
  const ending = new AbortController();
  const listener = await listen(
    options.port,
    undefined,
    () =>
      createTeamApp({
        ...{ store, jobs, log, ending: ending.signal, keys: new KeyStore(database) },
        checkReady: () => checkWritable(database),
        metrics: () => metrics(database),
      }),
    binding,
  );
  return {
    ...listener,
    async close() {
      ending.abort();
      await listener.close();
      await queue.close();
      await store.close();
    },
  };
}

/**
 * Resolves when none of a job's turns is left that were asked to stop. Gives up waiting after `waitMs`: the worker may be
 * cut off, and then it stops without being asked.
 */
async function untilStopped(store: Pick<JobStore, 'endedAt' | 'onJob'>, jobId: string, waitMs: number): Promise<void> {
  let wake = (): void => undefined;
  const changes = store.onJob((changed) => {
    if (changed === undefined || changed === jobId) {
      wake();
    }
  });
  const late = AbortSignal.timeout(waitMs);
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
        late.addEventListener('abort', () => resolve(), { once: true });
      });
      if (late.aborted || (await store.endedAt(jobId)) !== undefined) {
        return;
      }
      await changed;
    }
  } finally {
    changes.dispose();
  }
}
