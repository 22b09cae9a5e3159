import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { jobFolders } from '../../../../src/local-service/git/jobClone';
import { STOPPED_REASON, USER_REASON } from '../../../../src/local-service/jobs/jobStatus';
import { recover } from '../../../../src/local-service/jobs/recovery';
import {
  type ActivityLogStore,
  ClaimLost,
  type JobStore,
  type Turn,
} from '../../../../src/local-service/store/jobStore';
import { metrics } from '../../../../src/team-service/http/teamApp';
import { WORKER_TIMINGS } from '../../../../src/team-service/worker';
import { WorkerClaims } from '../../../../src/team-service/workerClaims';
import { plain } from '../../../support/codedText';
import { createTurn, followUp, openStore, sampleJob } from '../../../support/sampleTurn';
import { connect } from '../../../support/storeBackends';
import { useTeam } from '../../../support/teamFixture';
import { temporaryFolder } from '../../../support/temporaryRepository';

/** What runs turns: it decides which one to claim after the process before it has ended in any state. */
interface Runner {
  store: JobStore & ActivityLogStore;
  /** Claims the turn of `j1` that has to run; undefined if there is none. */
  next: () => Promise<Turn | undefined>;
}

type Step = 'claim' | 'publish' | 'message' | 'stop' | 'shutdown';

interface Case {
  /** What has happened since the job was created. A process ends after each claim, or at least at the end. */
  steps: Step[];
  /** The turn that is run then, and how; none if none has to. */
  next?: [number: number, state: 'running' | 'publishing'];
  /** The states of the turns then, with the codes of their reasons. */
  turns: (string | [string, string])[];
}

const STOPPED: [string, string] = ['cancelled', USER_REASON.code];

const CASES: Record<string, Case> = {
  'runs a turn that was waiting': { steps: [], next: [1, 'running'], turns: ['running'] },
  'runs a turn again that was interrupted': { steps: ['claim'], next: [1, 'running'], turns: ['running'] },
  'fails a turn that was interrupted twice': { steps: ['claim', 'claim'], turns: [['failed', 'the runner’s']] },
  'runs a turn again, however often the runner shut down in order': {
    steps: ['claim', 'shutdown', 'claim', 'shutdown', 'claim', 'shutdown'],
    next: [1, 'running'],
    turns: ['running'],
  },
  'goes on publishing, however often that was interrupted': {
    steps: ['claim', 'publish', 'claim', 'claim', 'shutdown', 'claim'],
    next: [1, 'publishing'],
    turns: ['publishing'],
  },
  'replaces an interrupted turn with a newer message': {
    steps: ['claim', 'message'],
    next: [2, 'running'],
    turns: ['cancelled', 'running'],
  },
  'publishes first what a newer message follows': {
    steps: ['claim', 'publish', 'message'],
    next: [1, 'publishing'],
    turns: ['publishing', 'queued'],
  },
  'does not run again what the user had stopped': { steps: ['claim', 'stop'], turns: [STOPPED] },
  'does not publish what the user had stopped': { steps: ['claim', 'publish', 'stop'], turns: [STOPPED] },
  'does not run again what the user had stopped while the runner shut down': {
    steps: ['claim', 'stop', 'shutdown'],
    turns: [STOPPED],
  },
  'never begins a turn after the user has stopped the job': { steps: ['stop'], turns: [STOPPED] },
  'runs a message that was sent after the user had stopped the turn before it': {
    steps: ['claim', 'stop', 'message'],
    next: [2, 'running'],
    turns: [STOPPED, 'running'],
  },
};

function runs(runner: () => Promise<Runner>, reason: string): void {
  for (const [what, { steps, next, turns }] of Object.entries(CASES)) {
    it(what, async () => {
      const { store, next: claimNext } = await runner();
      const first = await createTurn(store, sampleJob(), 'x');
      let claimed: Turn | undefined;
      for (const step of steps) {
        switch (step) {
          case 'claim':
            claimed = await claimNext();
            break;
          case 'publish':
            await store.startPublishing(claimed!, 'Wrote it.');
            break;
          case 'message':
            await followUp(store, 'j1', 'y');
            break;
          case 'stop':
            await store.requestStop('j1', USER_REASON);
            break;
          case 'shutdown':
            await store.requeueTurn(claimed!, { isCounted: false, note: plain('Later.') });
        }
      }
      const run = await claimNext();
      assert.deepEqual(run && [run.id - first.id + 1, run.state], next);
      assert.deepEqual(
        (await store.turns('j1')).map(({ state, reason: why }) => (why === null ? state : [state, why.code])),
        turns.map((turn) => (turn[1] === 'the runner’s' ? ['failed', reason] : turn)),
      );
      if (claimed !== undefined) {
        await assert.rejects(store.finishTurn(claimed, 'done'), ClaimLost);
      }
    });
  }
}

describe('a local service that starts after an interruption', () => {
  before(function () {
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
  });

  const open = async (): Promise<Runner> => {
    const folder = await temporaryFolder();
    await mkdir(jobFolders(join(folder, 'j1')).hostGit, { recursive: true });
    const file = join(folder, 'service.db');
    const store = await openStore(file);
    await store.putProject({ id: 'p1', name: 'docs', folder: '/docs' });
    return {
      store,
      next: async () => {
        const [turn] = await recover(store, folder);
        return turn && store.claimTurn(turn);
      },
    };
  };
  runs(open, STOPPED_REASON.code);
});

describe('a worker that gets an item after an interruption', () => {
  const used = useTeam();
  let database: ReturnType<typeof connect>;
  beforeEach(() => {
    database = connect(used.team.url);
  });
  afterEach(() => database.close());

  const claimsOf = (worker = 'w1') =>
    new WorkerClaims(database, used.queue, worker, WORKER_TIMINGS, { info: () => undefined });
  runs(async () => {
    const claims = claimsOf();
    let item: Awaited<ReturnType<typeof claims.fetch>>[number] | undefined;
    const next = async (): Promise<Turn | undefined> => {
      [item = item] = await claims.fetch(1);
      const step = await claims.next(item!);
      const turn = typeof step === 'object' && 'turn' in step ? step.turn : undefined;
      assert.ok(turn !== undefined || step === 'none');
      return turn;
    };
    return { store: used.store, next };
  }, 'workersCrashed');

  it('runs a turn again that another worker left publishing, and leaves a job to a worker that is not gone', async () => {
    const [first, second] = [claimsOf('w1'), claimsOf('w2')];
    await first.enter();
    await createTurn(used.store, sampleJob(), 'x');
    const [item] = await first.fetch(1);
    const step = await first.next(item!);
    assert.ok(typeof step === 'object' && 'turn' in step);
    await used.store.startPublishing(step.turn, 'Wrote it.');
    assert.deepEqual(await second.next(item!), { owner: 'w1', isGone: false });
    await database.query("DELETE FROM workers WHERE name = 'w1'");
    assert.deepEqual(await second.next(item!), { owner: 'w1', isGone: true });
    await second.takeOver(item!);
    const again = await second.next(item!);
    assert.ok(typeof again === 'object' && 'turn' in again);
    assert.deepEqual([again.turn.state, again.turn.summary], ['running', null]);
  });

  it('knows which turns a newer message or the user wants to stop, and which it has lost', async () => {
    const [{ store }, claims] = [used, claimsOf()];
    const running: Turn[] = [];
    for (const id of ['a', 'b', 'c', 'd']) {
      running.push((await store.claimTurn(await createTurn(store, sampleJob({ id }), 'x')))!);
    }
    assert.deepEqual(await claims.check(running), new Map());
    const [byMessage, byUser, lost] = running as [Turn, Turn, Turn];
    await followUp(store, 'a', 'more');
    await store.requestStop('b', USER_REASON);
    await followUp(store, 'b', 'more');
    await store.requeueTurn(lost, { isCounted: true, note: plain('Gone.') });
    const again = (await store.claimTurn({ ...lost }))!;
    assert.deepEqual([...(await claims.check(running))].toSorted(), [
      [byMessage.id, 'message'],
      [byUser.id, 'user'],
      [lost.id, 'lost'],
    ]);
    assert.deepEqual(await claims.check([again]), new Map());
  });

  it('leaves a turn on hold alone until its time, and counts it apart', async () => {
    const claims = claimsOf();
    await createTurn(used.store, sampleJob(), 'x');
    const [item] = await claims.fetch(1);
    const step = await claims.next(item!);
    assert.ok(typeof step === 'object' && 'turn' in step);
    const how = { isCounted: false, note: plain('Later.') };
    await used.store.requeueTurn(step.turn, { ...how, resumesAt: Date.now() + 3_600_000 });
    assert.equal(await claims.next(item!), 'none');
    const figures = await metrics(database);
    assert.match(figures, /^docs_agent_queue_depth 0$/m);
    assert.match(figures, /^docs_agent_queue_oldest_seconds 0$/m);
    assert.match(figures, /^docs_agent_runs\{state="on_hold"\} 1$/m);
    await database.query('UPDATE turns SET resumes_at = now_ms()');
    const again = await claims.next(item!);
    assert.ok(typeof again === 'object' && 'turn' in again);
  });

  it('loses an item that the queue has given to someone else', async () => {
    const claims = claimsOf();
    await createTurn(used.store, sampleJob(), 'x');
    const [item] = await claims.fetch(1);
    await claims.giveBack(item!);
    assert.equal(await claims.next(item!), 'lost');
  });

  it('counts as gone soon after it has left, even if a heartbeat arrives late or another process has its name', async () => {
    const [worker, copy] = [claimsOf(), claimsOf()];
    const workers = async () => /^docs_agent_workers (\d+)$/m.exec(await metrics(database))?.[1];
    await worker.enter();
    assert.equal(await workers(), '1');
    await copy.enter();
    await assert.rejects(worker.beat([]), /Another process works as “w1”/);
    await copy.leave();
    assert.equal(await workers(), '0');
    await assert.rejects(copy.beat([]), /Another process/);
    assert.equal(await workers(), '0');
  });
});
