import assert from 'node:assert/strict';
import { USER_REASON } from '../../../src/local-service/jobs/jobStatus';
import type { Turn } from '../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../src/local-service/store/sqlJobStore';
import type { TurnQueue } from '../../../src/team-service/turnQueue';
import { WorkerClaims } from '../../../src/team-service/workerClaims';
import { postgresServer } from '../../support/postgresServer';
import { createTurn, followUp, sampleJob } from '../../support/sampleTurn';
import { connect } from '../../support/storeBackends';
import { TeamFixture } from '../../support/teamFixture';

/** What a worker decides when it gets an item from the queue. */
describe('WorkerClaims', function () {
  let team: TeamFixture;
  let store: SqlJobStore;
  let queue: TurnQueue;
  let database: ReturnType<typeof connect>;
  before(async function () {
    if (typeof (await postgresServer()) === 'string') {
      this.skip();
    }
  });
  beforeEach(async () => {
    team = await TeamFixture.open();
    ({ store, queue } = await team.client());
    database = connect(team.url);
  });
  afterEach(async () => {
    await database.close();
    await team.close();
  });

  const claims = (worker = 'w1') => new WorkerClaims(database, worker, 60_000);
  /** Takes the next item and claims a turn, as a worker does before it crashes or shuts down. */
  const begin = async () => {
    const [item] = await queue.take(1, []);
    assert.ok(item !== undefined);
    const step = await claims().next(item);
    assert.ok(typeof step === 'object' && 'turn' in step);
    return { item, turn: step.turn };
  };
  const endOf = ({ state, reason }: Turn) => [state, reason?.code];

  it('reruns a turn that a crash interrupted, but not one that the user stopped', async () => {
    await createTurn(store, sampleJob(), 'Write');
    const { item } = await begin();
    const again = await claims().next(item);
    assert.ok(typeof again === 'object' && 'turn' in again);
    await store.requestStop('j1', USER_REASON);
    assert.equal(await claims().next(item), 'none');
    assert.deepEqual((await store.turns('j1')).map(endOf), [['cancelled', 'stoppedByUser']]);
  });

  it('does not resume a turn that the user stopped while its worker shut down', async () => {
    await createTurn(store, sampleJob(), 'Write');
    const { item, turn } = await begin();
    await store.requestStop('j1', USER_REASON);
    await store.requeueTurn(turn, { isCounted: false, note: { code: 'goesOnLater' } });
    assert.equal(await claims().next(item), 'none');
    assert.deepEqual((await store.turns('j1')).map(endOf), [['cancelled', 'stoppedByUser']]);
  });

  it('runs a message that was sent after the user stopped the turn before it', async () => {
    await createTurn(store, sampleJob(), 'Write');
    const { item } = await begin();
    await store.requestStop('j1', USER_REASON);
    const next = await followUp(store, 'j1', 'Write more');
    const step = await claims().next(item);
    assert.ok(typeof step === 'object' && 'turn' in step);
    assert.equal(step.turn.id, next.id);
    assert.deepEqual((await store.turns('j1')).map(endOf), [
      ['cancelled', 'stoppedByUser'],
      ['running', undefined],
    ]);
  });

  it('never begins a turn after the user has stopped the job', async () => {
    await createTurn(store, sampleJob(), 'Write');
    const [item] = await queue.take(1, []);
    await store.requestStop('j1', USER_REASON);
    assert.equal(await claims().next(item!), 'none');
    assert.deepEqual((await store.turns('j1')).map(endOf), [['cancelled', 'stoppedByUser']]);
  });

  it('resumes a turn on another worker, however often its worker shut down while publishing', async () => {
    await createTurn(store, sampleJob(), 'Write');
    for (let stop = 1; stop <= 3; stop++) {
      const { item, turn } = await begin();
      await store.startPublishing(turn, 'Wrote it.');
      await store.requeueTurn(turn, { isCounted: false, note: { code: 'goesOnLater' } });
      await queue.giveBack(item);
    }
    const [item] = await queue.take(1, []);
    const other = claims('w2');
    // 'w1' is not in the table of workers.
    assert.deepEqual(await other.next(item!), { owner: 'w1', isGone: true });
    assert.ok(await other.takeOver(item!));
    await other.next(item!);
    assert.deepEqual((await store.turns('j1')).map(endOf), [['running', undefined]]);
  });
});
