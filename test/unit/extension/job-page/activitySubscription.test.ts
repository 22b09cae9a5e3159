import assert from 'node:assert/strict';
import { ActivitySubscription } from '../../../../src/extension/features/job-page/activitySubscription';
import { type AgentActivity, reduceActivity, EMPTY_ACTIVITY } from '../../../../src/jobs/agentActivity';
import { ServiceError } from '../../../../src/protocol/errors';
import type { ActivityEvent } from '../../../../src/protocol/activity';
import { ManualClock } from '../../../support/manualClock';

const note = (id: number): ActivityEvent => {
  const at = new Date(Date.UTC(2026, 4, 1) + id).toISOString();
  return { id, turn: 1, at, entry: { kind: 'note', text: `event ${id}` } };
};

type Round = Parameters<ConstructorParameters<typeof ActivitySubscription>[0]['start']>[0];

describe('ActivitySubscription', () => {
  let clock: ManualClock;
  let isRunning: boolean;
  let rounds: Round[];
  let told: AgentActivity[];
  let errors: unknown[];
  let failure: Error | undefined;
  let prepared: Promise<void>;

  beforeEach(() => {
    clock = new ManualClock();
    isRunning = true;
    prepared = Promise.resolve();
    [rounds, told, errors, failure] = [[], [], [], undefined];
  });

  const follow = (story = EMPTY_ACTIVITY): ActivitySubscription =>
    new ActivitySubscription({
      story,
      isRunning: () => isRunning,
      start: async (round) => {
        rounds.push(round);
        if (failure !== undefined) {
          throw failure;
        }
      },
      redact: (text) => text,
      prepare: () => prepared,
      onStory: (each) => told.push(each),
      onError: (error) => errors.push(error),
      clock,
    });

  it('reports the first update immediately and later ones at a readable rate', async () => {
    const following = follow();
    rounds[0]?.onEvents([note(1)]);
    assert.equal(told.length, 0, 'not from within');
    await clock.advance(0);
    assert.deepEqual(told, [reduceActivity(EMPTY_ACTIVITY, [note(1)])]);
    for (let id = 2; id <= 101; id++) {
      rounds[0]?.onEvents([note(id)]);
      await clock.advance(10);
    }
    await clock.advance(1000);
    const all = [...told];
    assert.ok(all.length <= 8, `${all.length} times`);
    assert.equal(all.at(-1)?.last, 101);
    following.dispose();
  });

  it('prepares one update after the other and then reports what has arrived in the meantime', async () => {
    let resolve = (): void => undefined;
    prepared = new Promise((done) => (resolve = done));
    const following = follow();
    rounds[0]?.onEvents([note(1)]);
    await clock.advance(1000);
    rounds[0]?.onEvents([note(2)]);
    await clock.advance(1000);
    assert.equal(told.length, 0);
    resolve();
    await clock.advance(1000);
    assert.deepEqual(
      told.map(({ last }) => last),
      [1, 2],
    );
    following.dispose();
  });

  it('resumes after the last known event and reports the known activity', async () => {
    const known = reduceActivity(EMPTY_ACTIVITY, [note(1), note(2)]);
    const following = follow(known);
    assert.equal(rounds[0]?.after, 2);
    await clock.advance(0);
    assert.deepEqual(told, [known]);
    following.dispose();
  });

  it('streams while the job runs, reads the rest when it ends, and streams again after a follow-up', () => {
    const following = follow();
    assert.equal(rounds[0]?.stays(), true);
    following.refresh();
    assert.equal(rounds.length, 1);
    rounds[0].onEvents([note(1)]);
    isRunning = false;
    following.refresh();
    assert.equal(rounds[0].signal.aborted, true);
    assert.deepEqual([rounds[1]?.stays(), rounds[1]?.after], [false, 1]);
    isRunning = true;
    following.refresh();
    assert.deepEqual([rounds[2]?.stays(), rounds.length], [true, 3]);
    following.dispose();
  });

  it('reports and starts nothing and leaves no timer after it is disposed', async () => {
    const following = follow();
    rounds[0]?.onEvents([note(1)]);
    following.dispose();
    assert.equal(rounds[0]?.signal.aborted, true);
    rounds[0].onEvents([note(2)]);
    isRunning = false;
    following.refresh();
    assert.equal(clock.pending, 0);
    await clock.advance(10_000);
    assert.deepEqual([told.length, rounds.length], [0, 1]);
  });

  it('reports once why the activity is not available', async () => {
    failure = new ServiceError('notFound', { effect: 'refused' });
    const following = follow();
    await clock.advance(0);
    assert.deepEqual(errors, [failure]);
    following.dispose();
  });
});
