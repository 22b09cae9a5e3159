import { type Clock, delay, systemClock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { AgentLease } from '../local-service/agents/agentDriver';
import type { JobLocks } from '../local-service/jobs/jobLocks';
import { type EndTexts, recordEnd, TurnStop } from '../local-service/jobs/turnEnd';
import type { Claim, JobStore, Turn } from '../local-service/store/jobStore';
import type { StoppedBy, TurnSignals } from '../local-service/turnFailure';
import { coded } from '../protocol/codedText';
import { LimitedWarning } from './limitedWarning';
import type { HeldItem } from './turnQueue';
import type { WorkerClaims } from './workerClaims';
import type { WorkerJobs } from './workerJobs';

const TEXTS: EndTexts = { shutdown: coded('workerStopped'), fault: (words) => coded('workerFailed', { words }) };

const LOST = 'lost: the database didn’t answer, or another worker has it; it will be repeated';

/** The work on an item of the queue: turns of one job, one after the other. */
export class WorkerRun {
  /** Whether it may have lost its item or its claim. Nothing is written then, and the item is not completed. */
  isLost = false;
  /** Resolves once no agent of it is running. */
  done = Promise.resolve();
  private current: { claim: Claim; stop: TurnStop } | undefined;

  constructor(readonly item: HeldItem) {}

  /** The claim to the turn that runs; undefined between two. */
  get claim(): Claim | undefined {
    return this.current?.claim;
  }

  /** Returns the signals that stop the turn. */
  begin(claim: Claim): TurnSignals {
    const stop = new TurnStop();
    this.current = { claim, stop };
    if (this.isLost) {
      this.lose();
    }
    return stop.signals;
  }

  end(): void {
    this.current = undefined;
  }

  stop(by: StoppedBy): void {
    this.current?.stop.stop(by);
  }

  lose(): void {
    this.isLost = true;
    this.current?.stop.lose(this.current.claim);
  }
}

/** Takes items from the queue: claims their turns, runs and publishes them, and records how they ended. */
export class WorkerLoop {
  private readonly runs = new Set<WorkerRun>();
  private readonly ending = new AbortController();
  private wakeUp = new AbortController();

  constructor(
    private readonly parts: {
      store: Pick<JobStore, 'finishTurn' | 'requeueTurn'>;
      claims: WorkerClaims;
      jobs: Pick<WorkerJobs, 'run' | 'remove'>;
      lease: Pick<WorkerLease, 'isHeld'>;
      /** Held by the code that works in the folders of a job. */
      locks: Pick<JobLocks, 'hold'>;
      log: Logger;
    },
    /** The maximum number of agents that run at once, and how often the queue is read if no notification comes. */
    private readonly limits: { concurrency: number; pollMs: number },
  ) {}

  /** Takes items until it is stopped. */
  async start(): Promise<void> {
    const { claims, lease, log } = this.parts;
    const { concurrency, pollMs } = this.limits;
    const unread = new LimitedWarning('attempts to read the queue that failed', log, systemClock);
    while (!this.ending.signal.aborted) {
      this.wakeUp = new AbortController();
      const free = concurrency - this.runs.size;
      try {
        if (free > 0 && lease.isHeld) {
          (await claims.fetch(free)).forEach((item) => this.begin(item));
        }
      } catch (error) {
        unread.add(error);
      }
      await delay(systemClock, pollMs, this.wakeUp.signal).catch(() => undefined);
    }
    while (this.runs.size > 0) {
      await Promise.all([...this.runs].map((run) => run.done));
    }
  }

  /** Reads the queue now. */
  wake(): void {
    this.wakeUp.abort();
  }

  /** Ends all agents because others may soon start theirs. */
  loseAll(): void {
    this.runs.forEach((run) => run.lose());
  }

  /** Stops all turns and gives them back. No agent is running once the promise of `start` resolves. */
  stop(): void {
    this.ending.abort();
    this.wake();
    this.runs.forEach((run) => run.stop('shutdown'));
  }

  /** Tells the database what the worker does, and stops what it has lost or shall stop. */
  async beat(): Promise<void> {
    const runs = [...this.runs];
    const [held] = await Promise.all([this.parts.claims.beat(runs.map(({ item }) => item)), this.check(runs)]);
    runs.filter((run) => this.runs.has(run) && !held.has(run.item.id)).forEach((run) => run.lose());
  }

  /** Checks whether a job's turn has to stop. A failure does no harm, because the next heartbeat checks again. */
  async checkJob(jobId: string | undefined): Promise<void> {
    const runs = [...this.runs].filter(({ item }) => jobId === undefined || item.jobId === jobId);
    await this.check(runs).catch((error: unknown) => this.parts.log.warn('couldn’t read a stop request', error));
  }

  private async check(runs: readonly WorkerRun[]): Promise<void> {
    const claims = runs.flatMap(({ claim }) => (claim === undefined ? [] : [claim]));
    const found = await this.parts.claims.check(claims);
    for (const run of runs) {
      // It may have ended that turn in the meantime.
      const claim = claims.find((each) => each === run.claim);
      const reason = claim && found.get(claim.id);
      if (reason === 'lost') {
        run.lose();
      } else if (reason !== undefined) {
        run.stop(reason);
      }
    }
  }

  private begin(item: HeldItem): void {
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
    const { claims, jobs } = this.parts;
    const { item } = run;
    while (!this.ending.signal.aborted && !run.isLost) {
      const next = await claims.next(item);
      if (next === 'lost') {
        return;
      }
      if (next === 'none') {
        return claims.complete(item);
      }
      if ('turn' in next) {
        await this.runTurn(run, next.turn);
      } else if (next.isGone) {
        // The folder is from before another worker had the job.
        await jobs.remove(item.jobId);
        await claims.takeOver(item);
      } else {
        return claims.handOver(item);
      }
    }
    // None of its agents runs anymore.
    await claims.giveBack(item);
  }

  private async runTurn(run: WorkerRun, turn: Turn): Promise<void> {
    const { store, jobs, lease, log } = this.parts;
    const say = (what: string): void => log.info(`job ${turn.jobId}, run ${turn.id}: ${what}`);
    say(`begins, attempt ${turn.attempt}`);
    const signals = run.begin(turn);
    if (this.ending.signal.aborted) {
      run.stop('shutdown');
    }
    let end = 'done';
    const work = jobs.run(turn, signals).catch((error: unknown): never => {
      end = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
      throw error;
    });
    // What looks like an agent's failure may be the supervisor ending the agent, because the lease has run out.
    const mayWrite = (): boolean => lease.isHeld && !run.isLost;
    const isRecorded = await recordEnd({ store, log, texts: TEXTS, clock: systemClock }, work, () => turn, mayWrite);
    if (!isRecorded) {
      run.lose();
    }
    say(isRecorded ? end : LOST);
    run.end();
  }
}

/** A heartbeat that takes longer counts as failed, because the connection may be dead. In milliseconds. */
const LIMIT_MS = 8_000;

/**
 * The time for which a worker may run agents. Each heartbeat that succeeds extends it. When it runs out, the worker
 * ends its agents, well before the queue gives their turns to others. Each supervisor independently does the same,
 * because a suspended worker can't.
 */
export class WorkerLease implements AgentLease {
  /** On the monotonic clock, in milliseconds. */
  private until = 0;
  private isLost = true;
  private timer: Disposable | undefined;
  private readonly renewed = new Emitter<void>(() => undefined);

  /** @param onLost called when it has run out */
  constructor(
    private readonly clock: Clock,
    private readonly lengthMs: number,
    private readonly onLost: () => void,
  ) {}

  /** Checks the clock too: the timer may not have noticed yet that the lease has run out. */
  get isHeld(): boolean {
    if (this.remainingMs() === 0) {
      this.lose();
    }
    return !this.isLost;
  }

  remainingMs(): number {
    return Math.max(0, this.until - this.clock.monotonic());
  }

  onRenewed(listener: () => void): Disposable {
    return this.renewed.event(listener);
  }

  /** Extends the lease if the heartbeat succeeds; otherwise throws its error. */
  async extend(heartbeat: () => Promise<void>): Promise<void> {
    const begunAt = this.clock.monotonic();
    const over = new AbortController();
    const tooLong = delay(this.clock, LIMIT_MS, over.signal).then(() => {
      throw Object.assign(new Error('the database doesn’t answer'), { code: 'ETIMEDOUT' });
    });
    try {
      await Promise.race([heartbeat(), tooLong]);
    } finally {
      tooLong.catch(() => undefined);
      over.abort();
    }
    if (this.remainingMs() === 0) {
      // The lease had already run out: this heartbeat can't save the turns from before it.
      this.lose();
    }
    this.until = begunAt + this.lengthMs;
    // This process may have been suspended in the meantime.
    if (this.remainingMs() > 0) {
      this.isLost = false;
      this.timer?.dispose();
      this.timer = this.clock.after(this.remainingMs(), () => this.lose());
      this.renewed.fire();
    }
  }

  dispose(): void {
    this.timer?.dispose();
  }

  private lose(): void {
    if (!this.isLost) {
      this.isLost = true;
      this.timer?.dispose();
      this.onLost();
    }
  }
}
