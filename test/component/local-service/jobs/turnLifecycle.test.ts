import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { jobFolders } from '../../../../src/local-service/git/jobClone';
import { TurnFailure, type TurnSignals } from '../../../../src/local-service/turnFailure';
import { jobStatus } from '../../../../src/local-service/jobs/jobStatus';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';
import { recover } from '../../../../src/local-service/jobs/recovery';
import { TurnRunner } from '../../../../src/local-service/jobs/turnRunner';
import type { Turn, TurnState } from '../../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../../src/local-service/store/sqlJobStore';
import { customAgent } from '../../../support/customAgent';
import { openStore } from '../../../support/openStore';
import { plain } from '../../../support/codedText';
import { ManualClock } from '../../../support/manualClock';
import { createTurn, followUp, sampleJob } from '../../../support/sampleTurn';
import { scaled, seed } from '../../../support/scale';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { WAIT_LIMIT } from '../../../support/limits';

/** The allowed successors of each turn state. */
const NEXT: Record<TurnState, readonly TurnState[]> = {
  queued: ['running', 'cancelled', 'failed'],
  running: ['running', 'publishing', 'cancelled', 'failed'],
  publishing: ['done', 'cancelled', 'failed'],
  done: [],
  failed: [],
  cancelled: [],
};

const JOBS = ['a', 'b', 'c'];

type Step = { do: 'message' | 'cancel' | 'go on' | 'fail'; job: string } | { do: 'crash' | 'stop' };

const steps = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.record({ do: fc.constantFrom('message', 'go on'), job: fc.constantFrom(...JOBS) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cancel', 'fail'), job: fc.constantFrom(...JOBS) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('crash', 'stop') }) },
  ),
  { minLength: 5, maxLength: 40 },
);

/** Runs everything that is already due in the event loop. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A service without agents and git: a real database and turns that advance when the test says so. */
class TestService {
  private store!: SqlJobStore;
  private runner!: TurnRunner;
  /** For each job, the function that lets its current turn pass the next gate. */
  private gates = new Map<string, (error?: Error) => void>();
  private working = new Map<string, number>();
  /** Counts restarts of the service, so that leftover work of an earlier run can be detected. */
  private life = 0;

  private constructor(private readonly folder: string) {}

  static async create(folder: string): Promise<TestService> {
    const world = new TestService(folder);
    await world.start();
    return world;
  }

  async start(): Promise<void> {
    this.life += 1;
    this.gates = new Map();
    this.working = new Map();
    this.store = await openStore(join(this.folder, 'service.db'));
    await this.store.putProject({ id: 'p1', name: 'docs', folder: '/docs', settings: customAgent(['a']) });
    const unfinished = await recover(this.store, this.folder);
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const work = {
      run: (turn: Turn, signals: TurnSignals) => this.run(this.life, turn, signals).then(() => undefined),
    };
    const clock = new ManualClock();
    this.runner = new TurnRunner({ store: this.store, work, locks: new JobLocks(), log, clock, concurrency: 2 });
    unfinished.forEach((turn) => this.runner.start(turn));
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case 'message':
        return this.message(step.job);
      case 'cancel':
        await this.runner.cancel(step.job);
        return;
      case 'go on':
        return this.gates.get(step.job)?.();
      case 'fail':
        return this.gates.get(step.job)?.(new TurnFailure(plain('The agent was tired.')));
      case 'crash':
        await this.store.close();
        return this.start();
      case 'stop':
        await this.runner.stop();
        await this.store.close();
        return this.start();
    }
  }

  /** Lets every turn finish. */
  async finish(): Promise<void> {
    for (const start = Date.now(); this.runner.size > 0 && Date.now() - start < WAIT_LIMIT;) {
      [...this.gates.values()].forEach((open) => open());
      await settle();
    }
  }

  async check(isOver: boolean): Promise<void> {
    for (const jobId of JOBS) {
      const turns = await this.store.turns(jobId);
      const events = await this.store.activity(jobId, 0, 10_000);
      turns.forEach((turn, index) => {
        const states = events.filter((event) => event.turn === index + 1).map(({ entry }) => entry);
        const told = states.filter((entry) => entry.kind === 'state').map(({ state }) => state);
        assert.equal(told[0], 'queued');
        told.slice(1).forEach((state, at) => assert.ok(NEXT[told[at] ?? 'done'].includes(state), told.join(' → ')));
        const attempts = told.filter((state) => state === 'running').length - turn.uncountedAttempts;
        assert.ok(attempts <= 2, `attempt ${attempts}`);
        const isBusy = turn.state === 'running' || turn.state === 'publishing';
        assert.ok(!isBusy || index >= turns.length - 1 || !isOver);
      });
      assert.ok(!isOver || turns.length === 0 || jobStatus(turns).status !== 'active', `job ${jobId} is stuck`);
      // A newer message replaces a waiting one; turns that were already publishing have finished.
      assert.ok(!isOver || turns.slice(0, -1).every(({ state }) => ['done', 'failed', 'cancelled'].includes(state)));
    }
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async message(jobId: string): Promise<void> {
    const isKnown = (await this.store.job(jobId)) !== undefined;
    const turn = isKnown
      ? await followUp(this.store, jobId, 'more')
      : await createTurn(this.store, sampleJob({ id: jobId }), 'first');
    this.runner.start(turn);
  }

  private async run(life: number, turn: Turn, signals: TurnSignals): Promise<void> {
    const count = (this.working.get(turn.jobId) ?? 0) + 1;
    assert.equal(count, 1, 'two turns of one job at once');
    this.working.set(turn.jobId, count);
    try {
      if (turn.state !== 'publishing') {
        signals.work.throwIfAborted();
        mkdirSync(jobFolders(join(this.folder, turn.jobId)).hostGit, { recursive: true });
        await this.gate(turn.jobId, signals.work);
        this.mustLive(life);
        await this.store.startPublishing(turn, '');
      }
      await this.gate(turn.jobId, signals.publish);
      this.mustLive(life);
    } finally {
      if (life === this.life) {
        this.working.set(turn.jobId, 0);
      }
    }
  }

  /** Fails if work of a killed service would still write. */
  private mustLive(life: number): void {
    assert.equal(life, this.life);
  }

  private gate(jobId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop);
      this.gates.set(jobId, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }
}

describe('turn lifecycle', function () {
  this.timeout(scaled(120_000, 1_200_000));
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  it('allows only valid state changes and always ends, despite messages, cancels, failures and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (todo) => {
        const world = await TestService.create(await temporaryFolder());
        try {
          for (const step of todo) {
            await world.step(step);
            await settle();
            await world.check(false);
          }
          await world.finish();
          await world.check(true);
        } finally {
          await world.close();
        }
      }),
      { numRuns: scaled(40, 2_000), seed },
    );
  });
});
