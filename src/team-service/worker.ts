import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, delay, systemClock } from '../base/async';
import { makePrivateFolder, PRIVATE_FILE } from '../base/files';
import type { Logger } from '../base/logger';
import { Git } from '../git/git';
import { AgentDrivers, AgentSelector } from '../local-service/agents/agentSelector';
import type { TokenStore } from '../local-service/forges/credentials';
import { ForgePublisher } from '../local-service/forges/publisher';
import { removeStalePushDirectories } from '../local-service/git/pushBranch';
import { UserRepository } from '../local-service/git/userRepository';
import { agentSource } from '../local-service/jobs/agentSettings';
import { JobArchive, scheduleArchiveCleanup } from '../local-service/jobs/jobArchive';
import { JobLocks } from '../local-service/jobs/jobLocks';
import type { ResultCheck } from '../local-service/jobs/publishTurn';
import { TurnExecutor } from '../local-service/jobs/turnExecutor';
import { lockFolder } from './lockFolder';
import { connectDatabase } from './store/connectDatabase';
import { steadyDatabase } from './store/steadyDatabase';
import { openTeamStore } from './store/teamStore';
import { teamPublisher } from './teamPublisher';
import { TurnQueue } from './turnQueue';
import { WorkerCleanup } from './workerCleanup';
import { WorkerClaims } from './workerClaims';
import { WorkerFolders } from './workerFolders';
import { WorkerHeartbeat } from './workerHeartbeat';
import { WorkerLease } from './workerLease';
import { WorkerLoop } from './workerLoop';
import { WorkerRegistry, WorkerReplaced } from './workerRegistry';
import { WorkerRepositories } from './workerRepositories';

/** Timings in milliseconds. Without heartbeats, the queue gives the turns of a worker to others after `HEARTBEAT_S`. */
export interface WorkerTimings {
  heartbeatMs: number;
  /** How long after its last heartbeat a worker ends its agents. */
  fenceMs: number;
  /** Others take a worker's jobs this long after it was last seen. */
  goneMs: number;
  /** The same for a worker that was shut down normally: long enough for a restart. */
  handOverMs: number;
  pollMs: number;
  /** How often the queue looks for workers that have crashed. */
  superviseMs: number;
  /** How often a worker looks for turns that are missing from the queue, and how old they must be. */
  sweepMs: number;
}

export const WORKER_TIMINGS: WorkerTimings = {
  heartbeatMs: 10_000,
  fenceMs: 40_000,
  goneMs: 5 * 60_000,
  handOverMs: 30_000,
  pollMs: 2_000,
  superviseMs: 10_000,
  sweepMs: 60_000,
};

export interface WorkerOptions {
  /** `postgres://…` */
  database: string;
  /** The folder for clones, the agents' folders, and the worker's name. Each worker needs its own. */
  data: string;
  /** Maximum number of agents that run at once. */
  concurrency: number;
  /** Milliseconds that an agent may take for one turn. */
  turnTimeoutMs: number;
  /** How long the folders of a job stay after it has ended, in days. */
  keepDays: number;
  /** Program and arguments that start this program as a supervisor. */
  supervisor: readonly string[];
  /** The file of this program, which is also started to check what a job has added. */
  program: string;
  environment: NodeJS.ProcessEnv;
  /** The tokens for Git hosts. */
  tokens: TokenStore;
  log: Logger;
  clock?: Clock;
  timings?: Partial<WorkerTimings>;
}

export interface Worker {
  name: string;
  /** Rejects when another process has taken the worker's name. The worker has ended its agents. */
  failed: Promise<never>;
  /** Stops all turns and gives them back. Resolves once no agent is running. */
  stop(): Promise<void>;
}

/** Starts a worker, which runs turns until it is stopped. Throws FolderInUse. */
export async function runWorker(options: WorkerOptions): Promise<Worker> {
  const { data, log, environment, tokens, clock = systemClock, concurrency } = options;
  const timings = { ...WORKER_TIMINGS, ...options.timings };
  const [jobsFolder, pushFolder] = [join(data, 'jobs'), join(data, 'push')];
  await mkdir(data, { recursive: true });
  const unlock = lockFolder(data);
  await makePrivateFolder(jobsFolder);
  await removeStalePushDirectories(pushFolder);
  const name = await readName(join(data, 'worker'));
  const database = connectDatabase({ url: options.database, connections: concurrency + 4, clock, log });
  const toClose: (() => Promise<void>)[] = [async () => unlock(), () => database.close()];
  const close = async (): Promise<void> => {
    for (const each of toClose.splice(0).reverse()) {
      await each().catch((error: unknown) => log.warn('couldn’t close', error));
    }
  };
  try {
    const superviseIntervalSeconds = Math.max(1, timings.superviseMs / 1000);
    const supervision = { superviseIntervalSeconds, monitorIntervalSeconds: superviseIntervalSeconds };
    const queue = await TurnQueue.open({ connectionString: options.database, max: 3, ...supervision }, log);
    toClose.push(() => queue.close());
    const lease: WorkerLease = new WorkerLease(clock, timings.fenceMs, () => {
      log.warn('no heartbeat has succeeded for too long; ending the agents');
      loop.loseAll();
    });
    const steady = steadyDatabase(database, { mayRepeat: () => lease.isHeld, clock, log });
    const store = await openTeamStore(steady, queue.enqueue);
    const registry = new WorkerRegistry(database, name, timings);
    const git = new Git(environment);
    const repository = new UserRepository(git);
    const agents = agentSource(new AgentSelector(environment), new AgentDrivers(options.supervisor, environment));
    const forges = new ForgePublisher({ git, tokens, pushFolder, environment, log, clock });
    toClose.push(() => forges.close());
    const claims = new WorkerClaims(steady, name, timings.goneMs);
    const repositories = new WorkerRepositories({
      ...{ git, folder: join(data, 'repositories'), tokens, environment, log },
    });
    const publisher = teamPublisher(forges, (publication) => repositories.notePushed(publication));
    const folders = new WorkerFolders({ store, claims, repositories, repository, jobsFolder });
    const check: ResultCheck = async (range, signal) => {
      const { checkResult } = await import('../checks/process/checkResult');
      return checkResult({ program: options.program, environment, log }, range, signal);
    };
    const { turnTimeoutMs } = options;
    const markerOf = (jobId: string) => `${jobId}@${name}`;
    const executor = new TurnExecutor({
      ...{ store, agents, publisher, git, repository, check, jobsFolder, turnTimeoutMs, log, lease },
      projectOf: (id) => folders.projectOf(id),
      markerOf,
    });
    const { pollMs } = timings;
    const locks = new JobLocks();
    const loop = new WorkerLoop({
      ...{ database, store, queue, claims, executor, markerOf, folders, lease, locks, clock, log, concurrency, pollMs },
    });
    const heartbeat = new WorkerHeartbeat({ claims, queue, registry, loop, lease, clock, log });
    await registry.enter();
    await heartbeat.beat();
    const ending = new AbortController();
    const news = store.onJob((jobId) => {
      loop.wake();
      void heartbeat.checkJob(jobId);
    });
    let fail: (error: Error) => void = () => undefined;
    const failed = new Promise<never>((_resolve, reject) => (fail = reject));
    failed.catch(() => undefined);
    const beats = repeat(clock, timings.heartbeatMs, ending.signal, () =>
      heartbeat.beat().catch((error: unknown) => {
        log.warn('a heartbeat has failed', error);
        if (error instanceof WorkerReplaced) {
          loop.loseAll();
          void loop.stop().then(() => fail(error));
        }
      }),
    );
    const sweeps = repeat(clock, timings.sweepMs, ending.signal, () =>
      heartbeat.sweep(timings.sweepMs).catch((error: unknown) => log.warn('couldn’t look for forgotten turns', error)),
    );
    const archive = new JobArchive({
      store: {
        job: store.job,
        endedAt: store.endedAt,
        archiveJob: store.archiveJob,
        dropActivity: store.dropActivity,
        project: (id) => folders.projectOf(id),
      },
      // A clone of the worker has each commit before it is pushed. Only what was pushed is safe.
      ...{ git, repository: repositories, locks, jobsFolder, clock, log },
    });
    const projects = () => store.projects();
    const cleanup = new WorkerCleanup({ archive, registry, locks, repositories, projects, jobsFolder, log });
    loop.start();
    const endCleanup = scheduleArchiveCleanup(cleanup, options.keepDays, log);
    return {
      name,
      failed,
      async stop() {
        endCleanup();
        await loop.stop();
        await locks.untilFree();
        ending.abort();
        news.dispose();
        await Promise.all([beats, sweeps]);
        lease.dispose();
        await registry.leave().catch((error: unknown) => log.warn('couldn’t sign off', error));
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Does the work again and again, each time `everyMs` after it has ended. */
async function repeat(clock: Clock, everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await delay(clock, everyMs, signal).then(work, () => undefined);
  }
}

/** Reads the worker's name. It is kept in the data folder, because jobs belong to the worker that has their folders. */
async function readName(file: string): Promise<string> {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (/^[A-Za-z0-9._-]{1,100}$/.test(known.trim())) {
    return known.trim();
  }
  const machine = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 80);
  const name = `${machine}-${randomBytes(4).toString('hex')}`;
  await writeFile(file, `${name}\n`, { mode: PRIVATE_FILE });
  return name;
}
