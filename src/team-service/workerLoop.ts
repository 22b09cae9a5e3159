import { type Clock, delay } from '../base/async';
import type { Logger } from '../base/logger';
import { endJobProcesses } from '../local-service/agents/descendants';
import { removeAll } from '../local-service/removeFolder';
import type { JobLocks } from '../local-service/jobs/jobLocks';
import type { TurnExecutor } from '../local-service/jobs/turnExecutor';
import { type EndTexts, endTurn } from '../local-service/jobs/turnRunner';
import { ClaimLost, type JobStore, type Turn } from '../local-service/store/jobStore';
import { cutText } from '../local-service/text';
import { coded } from '../protocol/codedText';
import type { Database } from '../local-service/store/database';
import type { HeldItem, TurnQueue } from './turnQueue';
import type { WorkerClaims } from './workerClaims';
import type { WorkerFolders } from './workerFolders';
import type { WorkerLease } from './workerLease';
import { WorkerRun } from './workerRun';

/** Delay before a failed write of a turn's end is retried, in milliseconds. */
const WRITE_AGAIN_MS = 1_000;

/** Maximum length of the reason for the end of a run in the log. */
const MAX_WORDS = 300;

const END_TEXTS: EndTexts = { shutdown: coded('workerStopped'), fault: (words) => coded('workerFailed', { words }) };

export interface WorkerLoopParts {
  database: Database;
  store: Pick<JobStore, 'finishTurn' | 'requeueTurn'>;
  queue: TurnQueue;
  claims: WorkerClaims;
  executor: Pick<TurnExecutor, 'run'>;
  /** What marks this worker's processes of a job. */
  markerOf: (jobId: string) => string;
  folders: WorkerFolders;
  lease: Pick<WorkerLease, 'isHeld'>;
  /** Held by the code that works in the folders of a job. */
  locks: Pick<JobLocks, 'hold'>;
  clock: Clock;
  log: Logger;
  /** Maximum number of agents that run at once. */
  concurrency: number;
  /** How often the queue is read, in milliseconds, if no notification says that there is something. */
  pollMs: number;
}

/** Takes items from the queue and runs their turns. */
export class WorkerLoop {
  /** The items that it works on. */
  readonly runs = new Set<WorkerRun>();
  /** Other workers, whose items it leaves alone. */
  others: string[] = [];
  private readonly ending = new AbortController();
  private wakeUp = new AbortController();
  private readonly ended: Promise<void>[] = [];

  constructor(private readonly parts: WorkerLoopParts) {}

  /** Takes items until it is stopped. */
  start(): void {
    this.ended.push(this.takeItems());
  }

  /** Reads the queue now. */
  wake(): void {
    this.wakeUp.abort();
  }

  /** Ends all agents because others may soon start theirs. */
  loseAll(): void {
    this.runs.forEach((run) => run.lose());
  }

  /** Stops all turns and gives them back. Resolves once no agent is running. */
  async stop(): Promise<void> {
    this.ending.abort();
    this.wake();
    this.runs.forEach((run) => run.stop('shutdown'));
    await Promise.all(this.ended);
    while (this.runs.size > 0) {
      await Promise.all([...this.runs].map((run) => run.done));
    }
  }

  private async takeItems(): Promise<void> {
    const { queue, lease, clock, log, concurrency, pollMs } = this.parts;
    while (!this.ending.signal.aborted) {
      this.wakeUp = new AbortController();
      const free = concurrency - this.runs.size;
      try {
        if (free > 0 && lease.isHeld) {
          const items = await queue.take(free, this.others);
          items.forEach((item) => this.take(item));
        }
      } catch (error) {
        log.warn('couldn’t read the queue', error);
      }
      await delay(clock, pollMs, this.wakeUp.signal).catch(() => undefined);
    }
  }

  private take(item: HeldItem): void {
    const run = new WorkerRun(item);
    this.runs.add(run);
    // A run that has lost the job may still be ending its agent.
    run.done = this.parts.locks
      .hold(item.jobId, () => this.work(run))
      .catch((error: unknown) => {
        // Without heartbeats, the queue gives it to a worker again after a minute, maybe to this one.
        this.parts.log.error(`couldn’t work on job ${item.jobId}`, error);
      })
      .finally(() => {
        this.runs.delete(run);
        this.wake();
      });
  }

  private async work(run: WorkerRun): Promise<void> {
    const { queue, claims, folders, database } = this.parts;
    const { item } = run;
    while (!this.ending.signal.aborted && !run.isLost) {
      const next = await claims.next(item);
      if (next === 'lost') {
        return;
      }
      if (next === 'none') {
        await queue.complete(item);
        return;
      }
      if ('turn' in next) {
        await this.runTurn(run, next.turn);
      } else if (next.isGone) {
        // The folder is from before another worker had the job.
        await removeAll(folders.folderOf(item.jobId));
        await claims.takeOver(item);
      } else {
        await queue.handOver(database, item);
        return;
      }
    }
    // None of its agents runs anymore.
    await queue.giveBack(item);
  }

  private async runTurn(run: WorkerRun, turn: Turn): Promise<void> {
    const { executor, markerOf, folders, store, log } = this.parts;
    const signals = run.begin(turn);
    if (this.ending.signal.aborted) {
      run.stop('shutdown');
    }
    try {
      if (turn.attempt > 1) {
        // Their supervisor ends them too.
        await endJobProcesses(markerOf(turn.jobId));
      }
      log.info(`job ${turn.jobId}, run ${turn.id}: begins, attempt ${turn.attempt}`);
      await folders.prepare(turn, turn.state === 'publishing' ? signals.publish : signals.work);
      const endedEarly = await executor.run(turn, signals);
      await this.write(run, turn, () => store.finishTurn(turn, 'done', endedEarly));
      log.info(`job ${turn.jobId}, run ${turn.id}: done`);
    } catch (error) {
      if (error instanceof ClaimLost) {
        log.info(`job ${turn.jobId}, run ${turn.id}: lost to another worker`);
        run.lose();
      } else {
        log.info(`job ${turn.jobId}, run ${turn.id}: ${toLine(error)}`);
        await this.write(run, turn, () => endTurn({ store, log, texts: END_TEXTS }, turn, error));
      }
    } finally {
      run.end();
    }
  }

  /** Retries until the write succeeds or the turn is lost. */
  private async write(run: WorkerRun, turn: Turn, change: () => Promise<void>): Promise<void> {
    const { lease, log, clock } = this.parts;
    // What looks like an agent's failure may be the supervisor ending the agent, because the lease has run out.
    while (lease.isHeld && !run.isLost) {
      try {
        await change();
        return;
      } catch (error) {
        if (error instanceof ClaimLost) {
          run.lose();
          return;
        }
        log.warn(`couldn’t save the end of turn ${turn.id}`, error);
        await delay(clock, WRITE_AGAIN_MS);
      }
    }
    run.lose();
  }
}

/** An agent decides how long its messages are. */
function toLine(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return cutText(words.slice(0, 2 * MAX_WORDS), MAX_WORDS).replace(/\s+/g, ' ');
}
