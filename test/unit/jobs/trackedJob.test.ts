import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { PromptClaim, JobEvent, Snapshot, RecordedEvent } from '../../../src/jobs/events';
import { jobStatus } from '../../../src/jobs/jobStatus';
import { firstPromptText, reduceEvents, reduceEvent, isRunning } from '../../../src/jobs/trackedJob';
import { home } from '../../support/testWindow';

const snapshot = (status: string): Snapshot => ({
  id: 'j1',
  status,
  prLink: null,
  ref: null,
  repository: null,
  model: null,
  createdAt: null,
  error: null,
});

function stamped(events: (JobEvent | PromptClaim)[]): RecordedEvent[] {
  return events.map((event, index) => ({ stamp: String(index).padStart(6, '0'), event }));
}

const send: JobEvent = { type: 'send', at: 1, promptId: 's1', kind: 'create', text: 'Explain\nretries', home };
const created: JobEvent = { type: 'created', at: 2, promptId: 's1', job: snapshot('active') };

const later: fc.Arbitrary<JobEvent | PromptClaim> = fc.oneof(
  fc.constantFrom<JobEvent | PromptClaim>(
    created,
    { type: 'claimed', attempt: 1, at: 2, promptId: 's1' },
    { type: 'unconfirmed', at: 3, promptId: 's1', attempt: 1, reason: { kind: 'timeout' } },
    { type: 'rejected', at: 3, promptId: 's1', attempt: 1, reason: { kind: 'rejected' } },
    { type: 'needsKey', at: 3, promptId: 's2', attempt: 0, reason: { kind: 'unauthorized' } },
    { type: 'discarded', at: 3, promptId: 's1' },
    { type: 'seen', at: 4 },
    { type: 'untracked', at: 4 },
    { type: 'restored', at: 4 },
    { type: 'changed', at: 5, run: 's1', job: snapshot('completed'), end: true },
    { type: 'changed', at: 5, run: 's0', job: snapshot('failed'), end: true },
    { type: 'send', at: 6, promptId: 's2', kind: 'followUp', text: 'More', home },
    { type: 'created', at: 7, promptId: 's2', job: snapshot('completed') },
  ),
);

describe('reduceEvents', () => {
  it('keeps the age of a job that is removed from the list and restored', () => {
    const events: JobEvent[] = [send, created, { type: 'untracked', at: 5 }, { type: 'restored', at: 9 }];
    strictEqual(reduceEvents('k', stamped(events))?.updatedAt, 2);
  });

  it('returns nothing for events without a beginning', () => {
    strictEqual(reduceEvents('k', stamped([created])), undefined);
  });

  it('treats a prompt as accepted when its answer is recorded before it', () => {
    const job = reduceEvents('k', stamped([{ ...created, home }, send]));
    deepStrictEqual(
      job?.prompts.map(({ state }) => state),
      ['created'],
    );
  });

  it('keeps the whole prompt', () => {
    const job = reduceEvents('k', stamped([send]));
    ok(job !== undefined);
    strictEqual(firstPromptText(job), 'Explain\nretries');
  });

  it('never changes the state of an accepted prompt', () => {
    fc.assert(
      fc.property(fc.array(later), fc.array(later), (before, after) => {
        const job = reduceEvents('k', stamped([send, ...before, created, ...after]));
        strictEqual(job?.prompts[0]?.state, 'created');
        ok(job.snapshot !== undefined);
      }),
    );
  });

  it('gives the same result when another window’s event is recorded twice', () => {
    const state = (events: (JobEvent | PromptClaim)[]): unknown => {
      const job = reduceEvents('k', stamped(events));
      return [job?.snapshot, job?.endedAt, job?.unseen, job?.prompts.map((each) => each.state)];
    };
    const end: JobEvent = { type: 'changed', at: 5, run: 's1', job: snapshot('completed'), end: true };
    deepStrictEqual(state([send, created, end, end]), state([send, created, end]));
  });

  it('does not mistake the end of an earlier run for the end of the current one', () => {
    const followUp: JobEvent = { type: 'send', at: 6, promptId: 's2', kind: 'followUp', text: 'More', home };
    const accepted: JobEvent = { type: 'created', at: 7, promptId: 's2', job: snapshot('active') };
    const lateEnd: JobEvent = { type: 'changed', at: 8, run: 's1', job: snapshot('completed'), end: true };
    const job = reduceEvents('k', stamped([send, created, followUp, accepted, lateEnd]));
    ok(job !== undefined && isRunning(job));
    strictEqual(jobStatus(job), 'active');
  });

  it('never reports a job as both running and ended, for any order of events', () => {
    fc.assert(
      fc.property(fc.array(later), (events) => {
        const job = reduceEvents('k', stamped([send, ...events]));
        ok(job !== undefined);
        ok(!(isRunning(job) && job.endedAt !== undefined));
        ok(!job.unseen || job.endedAt !== undefined);
        ok(job.prompts.every(({ state, waiting }) => (state === 'waiting') === (waiting !== undefined)));
      }),
    );
  });

  it('gives the same result whether a send claim is learned of immediately or later', () => {
    const claims = [1, 2, 3].map((attempt): PromptClaim => ({ type: 'claimed', attempt, at: 2, promptId: 's1' }));
    const outcome = fc
      .record({ type: fc.constantFrom('rejected' as const, 'notSent', 'throttled', 'unconfirmed'), attempt: fc.nat(3) })
      .map(({ type, attempt }): JobEvent => ({ type, attempt, at: 3, promptId: 's1', reason: { kind: 'limit' } }));
    const outcomes = fc.array(
      fc.oneof(
        outcome,
        later.filter(({ type }) => type !== 'claimed'),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(outcomes, fc.array(fc.nat(8), { minLength: 3, maxLength: 3 }), (events, places) => {
        const sorted = reduceEvents('k', stamped([send, ...events, ...claims]));
        const arrived: (JobEvent | PromptClaim)[] = [...events];
        claims.forEach((claim, index) => arrived.splice(places[index] ?? 0, 0, claim));
        const begun = reduceEvents('k', stamped([send]));
        ok(begun !== undefined);
        // A finished send needs no more claims, so its attempt count does not matter.
        const states = (job: typeof sorted): unknown =>
          job?.prompts.map(({ id, state, attempt }) => [
            id,
            state,
            state === 'created' || state === 'discarded' || attempt,
          ]);
        deepStrictEqual(states(arrived.reduce(reduceEvent, begun)), states(sorted));
      }),
    );
  });

  it('keeps a job whose prompt is no longer readable, using the home in its answer', () => {
    const job = reduceEvents('k', stamped([{ ...created, home }]));
    strictEqual(job?.snapshot?.id, 'j1');
    strictEqual(isRunning(job), true);
    deepStrictEqual(job.home, home);
  });
});
