import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { PromptClaim, JobEvent, Snapshot, RecordedEvent } from '../../../src/jobs/events';
import { getRunTime, type JobHistory, jobHistory } from '../../../src/jobs/jobHistory';
import { followUpObstacle, jobStatus, promptToRetry } from '../../../src/jobs/jobStatus';
import {
  firstPromptText,
  isRunning,
  type OutgoingPrompt,
  type PromptState,
  reduceEvent,
  reduceEvents,
  type TrackedJob,
} from '../../../src/jobs/trackedJob';
import { snapshot as answer, trackedJob } from '../../support/trackedJob';
import { location } from '../../support/testWindow';

type Recorded = JobEvent | PromptClaim;

const snapshot = (status: string, prLink: string | null = null): Snapshot => answer(status, { id: 'j1', prLink });
const stamped = (events: readonly Recorded[]): RecordedEvent[] =>
  events.map((event, index) => ({ stamp: String(index).padStart(6, '0'), event }));
const reduced = (...events: Recorded[]): TrackedJob | undefined => reduceEvents('k', stamped(events));

const send = (at: number, id = 's1', kind: 'create' | 'followUp' = 'create'): JobEvent => ({
  ...{ type: 'send', at, promptId: id, kind, text: 'Explain\nretries', location },
});
const followUp = (at: number, id: string): JobEvent => send(at, id, 'followUp');
const created = (at: number, id = 's1', status = 'active'): JobEvent => ({
  ...{ type: 'created', at, promptId: id, job: snapshot(status) },
});
const ended = (at: number, run: string, job = snapshot('completed')): JobEvent => ({
  ...{ type: 'changed', at, run, job, end: true },
});
const tracked = (at: number, job: Snapshot): JobEvent => ({ type: 'tracked', at, location, job });
const resumed = (at: number, job: Snapshot, end: boolean): JobEvent => ({
  ...{ type: 'resumed', at, run: 'elsewhere', job, end },
});

describe('a job reduced from its records', () => {
  it('needs a beginning that says where it is, and keeps the whole prompt', () => {
    strictEqual(reduced(created(2)), undefined);
    const job = reduced(send(1));
    strictEqual(job && firstPromptText(job), 'Explain\nretries');
  });

  it('survives the loss of its prompt’s file, and takes an answer that comes before it', () => {
    const early: JobEvent = { type: 'created', at: 2, promptId: 's1', job: snapshot('active'), location };
    const job = reduced(early);
    ok(job !== undefined && isRunning(job));
    deepStrictEqual([job.snapshot?.id, job.location], ['j1', location]);
    strictEqual(reduced(early, send(3))?.prompts[0]?.state, 'created');
  });

  it('keeps its age when it is removed from the list and restored', () => {
    strictEqual(reduced(send(1), created(2), { type: 'untracked', at: 5 }, { type: 'restored', at: 9 })?.updatedAt, 2);
  });

  it('is the same when another window records an end again', () => {
    const [once, twice] = [[ended(5, 's1')], [ended(5, 's1'), ended(5, 's1')]].map((ends) =>
      reduced(send(1), created(2), ...ends),
    );
    deepStrictEqual(twice, once);
  });

  it('does not mistake the end of an earlier run for the end of the current one', () => {
    const job = reduced(send(1), created(2), followUp(6, 's2'), created(7, 's2'), ended(8, 's1'));
    ok(job !== undefined && isRunning(job));
    strictEqual(jobStatus(job), 'active');
  });

  it('stays discarded when a failure is recorded later', () => {
    const late = { type: 'rejected', at: 4, promptId: 's1', attempt: 1, reason: { kind: 'rejected' } } as const;
    strictEqual(reduced(send(1), { type: 'discarded', at: 3, promptId: 's1' }, late)?.prompts[0]?.state, 'discarded');
  });

  const later: fc.Arbitrary<Recorded> = fc.constantFrom<Recorded>(
    created(2),
    { type: 'claimed', attempt: 1, at: 2, promptId: 's1' },
    { type: 'unconfirmed', at: 3, promptId: 's1', attempt: 1, reason: { kind: 'timeout' } },
    { type: 'rejected', at: 3, promptId: 's1', attempt: 1, reason: { kind: 'rejected' } },
    { type: 'needsKey', at: 3, promptId: 's2', attempt: 0, reason: { kind: 'unauthorized' } },
    { type: 'discarded', at: 3, promptId: 's1' },
    { type: 'seen', at: 4 },
    { type: 'untracked', at: 4 },
    { type: 'restored', at: 4 },
    ended(5, 's1'),
    ended(5, 's0', snapshot('failed')),
    followUp(6, 's2'),
    created(7, 's2', 'completed'),
  );

  it('never reports a job as both running and ended, for any order of events', () => {
    fc.assert(
      fc.property(fc.array(later), (events) => {
        const job = reduced(send(1), ...events);
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
        const sorted = reduced(send(1), ...events, ...claims);
        const arrived: Recorded[] = [...events];
        claims.forEach((claim, index) => arrived.splice(places[index] ?? 0, 0, claim));
        const begun = reduced(send(1));
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
});

function historyOf(events: readonly JobEvent[]): JobHistory | undefined {
  const job = reduced(...events);
  return job && jobHistory(job, stamped(events));
}

/** The runs as short strings, such as `2-5 completed`. */
function runsOf(...events: JobEvent[]): string[] {
  return (historyOf(events)?.runs ?? []).map(({ origin, from, to, end }) =>
    [origin, `${from}-${to ?? ''}`, end?.status].filter((word) => word !== undefined).join(' '),
  );
}

describe('the runs of a job', () => {
  it('begin when the service has accepted a prompt, and end with what it reports', () => {
    deepStrictEqual(runsOf(send(1)), []);
    deepStrictEqual(runsOf(send(1), created(2)), ['2-']);
    deepStrictEqual(runsOf(send(1), created(2), ended(5, 's1')), ['2-5 completed']);
    deepStrictEqual(runsOf(send(1), created(2, 's1', 'failed')), ['2-2 failed']);
    const two = [send(1), created(2), ended(5, 's1'), followUp(6, 's2'), created(7, 's2')];
    deepStrictEqual(runsOf(...two, ended(9, 's2', snapshot('failed'))), ['2-5 completed', '7-9 failed']);
  });

  it('are replaced by a follow-up that interrupts them', () => {
    deepStrictEqual(runsOf(send(1), created(2), followUp(3, 's2'), created(4, 's2')), ['2-4', '4-']);
  });

  it('keep their end when the job changes later', () => {
    const archived = ended(9, 's1', snapshot('archived'));
    deepStrictEqual(runsOf(send(1), created(2), ended(5, 's1'), archived), ['2-5 completed']);
  });

  it('may have begun elsewhere', () => {
    deepStrictEqual(runsOf(tracked(1, snapshot('active')), ended(4, 'tracked')), ['tracked 1-4 completed']);
    deepStrictEqual(runsOf(tracked(1, snapshot('completed'))), ['tracked 1-1 completed']);
    const before = [send(1), created(2), ended(5, 's1')];
    deepStrictEqual(runsOf(...before, resumed(7, snapshot('active'), false)), ['2-5 completed', 'resumed 7-']);
    deepStrictEqual(runsOf(...before, resumed(7, snapshot('failed'), true)), ['2-5 completed', 'resumed 7-7 failed']);
  });

  it('have a total time, without the one that lasts', () => {
    const history = historyOf([send(1), created(2), ended(5, 's1'), followUp(6, 's2'), created(7, 's2')]);
    ok(history !== undefined);
    deepStrictEqual(getRunTime(history), 3);
  });

  it('are consistent whatever was recorded, and only the last one lasts', () => {
    const at = fc.oneof(fc.integer({ min: -5, max: 20 }), fc.constant(NaN));
    const id = fc.constantFrom('s1', 's2', 's3');
    const status = fc.constantFrom('active', 'completed', 'failed', 'odd');
    const event = fc.oneof(
      fc.tuple(at, id, fc.constantFrom('create' as const, 'followUp' as const)).map(([...all]) => send(...all)),
      fc.tuple(at, id, status).map(([...all]) => created(...all)),
      fc.tuple(at, id, status).map(([when, run, word]) => ended(when, run, snapshot(word))),
      fc.tuple(at, status).map(([when, word]) => resumed(when, snapshot(word), word !== 'active')),
      at.map((when): JobEvent => ({ type: 'untracked', at: when })),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 25 }), (events) => {
        const { runs, prompts } = historyOf([send(0), ...events]) ?? { runs: [], prompts: [] };
        ok(runs.slice(0, -1).every(({ to }) => to !== undefined));
        deepStrictEqual(new Set(runs.map((run) => run.id)).size, runs.length);
        ok(prompts.length > 0);
      }),
    );
  });
});

const prompt = (state: PromptState, change: Partial<OutgoingPrompt> = {}): OutgoingPrompt => ({
  ...{ id: 's', kind: 'create', text: 'p', at: 0, state, attempt: 1 },
  ...change,
});

describe('a follow-up', () => {
  const listed = (status: string): TrackedJob => trackedJob({ snapshot: snapshot(status) });
  const jobs: [string, TrackedJob, string | undefined][] = [
    ...['active', 'completed', 'failed', 'archived', 'new-status'].map((status): [string, TrackedJob, undefined] => [
      `possible for a job that is ${status}`,
      listed(status),
      undefined,
    ]),
    ['impossible for a removed job', { ...listed('completed'), untracked: true }, 'removed'],
    ['impossible for a discarded prompt', trackedJob({ prompts: [prompt('discarded')] }), 'discarded'],
    ...(['queued', 'waiting', 'sending', 'rejected', 'unconfirmed'] as const).map(
      (state): [string, TrackedJob, string] => [
        `impossible for a job whose prompt is ${state}`,
        trackedJob({ prompts: [prompt(state)] }),
        'notAccepted',
      ],
    ),
  ];
  for (const [name, job, obstacle] of jobs) {
    it(`is ${name}`, () => strictEqual(followUpObstacle(job), obstacle));
  }
});

describe('the prompt to try again', () => {
  const [first, next] = [prompt('created'), { id: 'f', kind: 'followUp' } as const];
  const held: Partial<OutgoingPrompt> = { ...next, waiting: { for: 'runEnd', held: 'ended' } };
  const cases: [string, string, OutgoingPrompt[], string | undefined][] = [
    ['is the accepted one of a failed job', 'failed', [first], 's'],
    ['is the last accepted one', 'failed', [first, prompt('created', next), prompt('rejected', { id: 'g' })], 'f'],
    ['does not exist for a completed job', 'completed', [first], undefined],
    ['does not exist for an active job', 'active', [first], undefined],
    ['does not exist if prompts are unknown', 'failed', [], undefined],
    [
      'does not exist while another one is queued, so that a double click sends one',
      'failed',
      [first, prompt('queued', next)],
      undefined,
    ],
    ['does not exist while another one is being sent', 'failed', [first, prompt('sending', next)], undefined],
    ['exists while another one is held', 'failed', [first, prompt('waiting', held)], 's'],
  ];
  for (const [name, status, prompts, id] of cases) {
    it(name, () => strictEqual(promptToRetry(trackedJob({ snapshot: snapshot(status), prompts }))?.id, id));
  }
});
