import { readFile } from 'node:fs/promises';
import { delay, systemClock } from '../base/async';
import type { Logger } from '../base/logger';
import type { Redactor } from '../base/redact';
import { Git } from '../git/git';
import { AgentSelector } from '../local-service/agents/agentSelector';
import { TokenStore } from '../local-service/forges/credentials';
import { networkOf } from '../local-service/forges/forge';
import { ForgePublisher } from '../local-service/forges/forgePublisher';
import { UserRepository } from '../local-service/git/userRepository';
import { agentSource } from '../local-service/jobs/agentSettings';
import { JobArchive, scheduleArchiveCleanup } from '../local-service/jobs/jobArchive';
import { JobLocks } from '../local-service/jobs/jobLocks';
import type { ResultCheck } from '../local-service/jobs/publishTurn';
import { SurroundingsWatch } from '../local-service/jobs/surroundingsWatch';
import { TurnExecutor } from '../local-service/jobs/turnExecutor';
import { Lifetime } from '../local-service/lifetime';
import { UsageError } from '../local-service/options';
import type { ActivityLogStore, JobStore } from '../local-service/store/jobStore';
import { hostTokenSchema } from '../protocol/localService';
import { connectDatabase, steadyDatabase } from './store/connectDatabase';
import { LimitedWarning } from './limitedWarning';
import { openTeamStore } from './store/teamStore';
import type { WorkerSettings } from './teamCommandLine';
import { teamPublisher, WorkerJobs } from './workerJobs';
import { TurnQueue } from './turnQueue';
import { type ClaimTimings, WorkerClaims } from './workerClaims';
import { openWorkerFolder } from './workerFolder';
import { WorkerLease, WorkerLoop } from './workerLoop';
import { Webhooks } from './webhooks';
import { WorkerRepositories } from './workerRepositories';

/** Timings in milliseconds. Without heartbeats, the queue gives the turns of a worker to others after `HEARTBEAT_S`. */
export interface WorkerTimings extends ClaimTimings {
  heartbeatMs: number;
  /** How long after its last heartbeat a worker ends its agents. */
  fenceMs: number;
  pollMs: number;
  /** How often the queue looks for workers that have crashed. */
  superviseMs: number;
}

export const WORKER_TIMINGS: WorkerTimings = {
  heartbeatMs: 10_000,
  fenceMs: 40_000,
  goneMs: 5 * 60_000,
  handOverMs: 30_000,
  pollMs: 2_000,
  superviseMs: 10_000,
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
  timings?: Partial<WorkerTimings>;
}

export interface Worker {
  name: string;
  /** Stops all turns and gives them back. Resolves once no agent is running. */
  stop(): Promise<void>;
}

/** Starts a worker, which runs turns until it is stopped. Throws FolderInUse. */
export async function runWorker(options: WorkerOptions): Promise<Worker> {
  const { log, environment, tokens, concurrency, turnTimeoutMs, database: url } = options;
  const timings = { ...WORKER_TIMINGS, ...options.timings };
  const clock = systemClock;
  const folder = await openWorkerFolder(options.data);
  const { name, jobs: jobsFolder, push: pushFolder } = folder;
  const toClose: (() => Promise<void>)[] = [async () => folder.unlock()];
  const close = async (): Promise<void> => {
    for (const each of toClose.splice(0).reverse()) {
      await each().catch((error: unknown) => log.warn('couldn’t close', error));
    }
  };
  try {
    const lease: WorkerLease = new WorkerLease(clock, timings.fenceMs, () => {
      log.warn('no heartbeat has succeeded for too long; ending the agents');
      loop.loseAll();
    });
    toClose.push(async () => lease.dispose());
    const plain = connectDatabase({ url, connections: concurrency + 5, clock, log });
    toClose.push(() => plain.close());
    const database = steadyDatabase(plain, { mayRepeat: () => lease.isHeld, clock, log });
    const superviseS = Math.max(1, timings.superviseMs / 1000);
    const supervision = { superviseIntervalSeconds: superviseS, monitorIntervalSeconds: superviseS };
    const queue = await TurnQueue.open(plain, supervision, log);
    toClose.push(() => queue.close());
    const store = await openTeamStore(database, queue.enqueue);
    const claims = new WorkerClaims(database, queue, name, timings, log);
    const webhooks = new Webhooks({ database, queue, store, network: networkOf(environment), log });
    await webhooks.start();
    toClose.push(() => webhooks.close());

    const git = new Git(environment);
    const repository = new UserRepository(git);
    const repositories = new WorkerRepositories({ git, folder: folder.repositories, tokens, environment, log });
    const shared: JobStore & ActivityLogStore = store;
    // On this machine, the folder of a project is the worker's clone of its repository.
    const localStore = {
      ...shared,
      project: async (id: string) => {
        const project = await shared.project(id);
        return project && { ...project, folder: repositories.folderOf(project) };
      },
    };
    const agents = agentSource(new AgentSelector(environment), options.supervisor, environment);
    const forges = new ForgePublisher({ git, tokens, pushFolder, environment, log, clock });
    toClose.push(() => forges.close());
    const publisher = teamPublisher(forges, (publication) => repositories.notePushed(publication));
    const check: ResultCheck = async (range, signal) => {
      const { checkResult } = await import('../checks/process/runCheck');
      return checkResult({ program: options.program, environment, log }, range, signal);
    };
    const markerOf = (jobId: string): string => `${jobId}@${name}`;
    const executor = new TurnExecutor({
      ...{ store: localStore, agents, publisher, git, repository, check, jobsFolder, turnTimeoutMs, log, lease },
      markerOf,
    });
    const jobs = new WorkerJobs({ store, claims, repositories, repository, executor, log }, jobsFolder, markerOf);
    const locks = new JobLocks();
    const loop = new WorkerLoop({ store, claims, jobs, lease, locks, log }, { concurrency, pollMs: timings.pollMs });

    await claims.enter();
    await lease.extend(() => loop.beat());
    const ending = new AbortController();
    const beats = (async () => {
      const failed = new LimitedWarning('heartbeats that failed', log, clock);
      while (!ending.signal.aborted) {
        const beat = () => lease.extend(() => loop.beat()).catch((error: unknown) => failed.add(error));
        await delay(clock, timings.heartbeatMs, ending.signal).then(beat, () => undefined);
      }
    })();
    const changes = store.onJob((jobId) => {
      loop.wake();
      void loop.checkJob(jobId);
      webhooks.collect();
    });
    const done = loop.start();
    // A clone of the worker has each commit before it is pushed. Only what was pushed is safe.
    const archive = new JobArchive({ store: localStore, git, repository: repositories, locks, jobsFolder, clock, log });
    const sweep = async (keepDays: number): Promise<void> => {
      await jobs.removeMoved(locks);
      await archive.sweep(keepDays);
    };
    const endCleanup = scheduleArchiveCleanup({ sweep }, options.keepDays, log);
    const ownJobs = { ...localStore, openJobs: (limit: number) => shared.openJobs(limit, name) };
    const watch = new SurroundingsWatch({ git, repository, publisher, store: ownJobs, locks, jobsFolder, log });
    return {
      name,
      async stop() {
        endCleanup();
        loop.stop();
        await Promise.all([done, watch.close()]);
        await locks.untilFree();
        ending.abort();
        changes.dispose();
        await beats;
        await claims.leave().catch((error: unknown) => log.warn('couldn’t sign off', error));
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

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
  log.info(`worker ${worker.name} takes jobs, ${settings.concurrency} at once`);
  process.stdout.write(`${JSON.stringify({ ready: true, worker: worker.name })}\n`);
}

/**
 * Reads the tokens for Git hosts from `DOCS_AGENT_TOKENS` and from the file that `DOCS_AGENT_TOKENS_FILE` names: words
 * such as `github.com=TOKEN` or `git.example.com=USER:TOKEN`. No agent gets these variables. Throws UsageError.
 */
export async function readGitTokens(
  environment: Readonly<Record<string, string | undefined>>,
  tokens: TokenStore,
): Promise<void> {
  const { DOCS_AGENT_TOKENS: given = '', DOCS_AGENT_TOKENS_FILE: file } = environment;
  const read =
    file === undefined
      ? ''
      : await readFile(file, 'utf8').catch((error: unknown) => {
          throw new UsageError(`Couldn’t read the file in DOCS_AGENT_TOKENS_FILE: ${(error as Error).message}`);
        });
  let count = 0;
  for (const [word] of `${given}\n${read}`.matchAll(/\S+/g)) {
    count += 1;
    const [, host, username, token] = /^([^=:]*(?::\d+)?)=(?:([^:]*):)?([^:]*)$/.exec(word) ?? [];
    const parsed = hostTokenSchema.safeParse({ host, token, ...(username && { username }) });
    if (!parsed.success) {
      // Not shown: it may contain a token.
      throw new UsageError(`Token ${count} isn’t of the form HOST=TOKEN or HOST=USER:TOKEN.`);
    }
    const { host: name, ...rest } = parsed.data;
    tokens.set(name, rest);
  }
}
