import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { JobEvent, Snapshot, RecordedEvent } from '../../../src/jobs/events';
import { type JobHistory, jobHistory } from '../../../src/jobs/jobHistory';
import { reduceEvents } from '../../../src/jobs/trackedJob';
import type { UncheckedSpan } from '../../../src/jobs/uncheckedLog';
import { snapshot as told } from '../../support/trackedJob';
import { home } from '../../support/testWindow';

const LINK = 'https://github.com/o/r/pull/1';

const snapshot = (status: string, prLink: string | null = null): Snapshot => told(status, { id: 'j1', prLink });

function historyOf(events: readonly JobEvent[], unchecked: readonly UncheckedSpan[] = []): JobHistory | undefined {
  const stamped: RecordedEvent[] = events.map((event, index) => ({ stamp: String(index).padStart(6, '0'), event }));
  const job = reduceEvents('k', stamped);
  return job && jobHistory(job, stamped, unchecked);
}

/** The history as short strings, such as `waiting 1-3` and `prompt 1`. */
function short(
  events: readonly JobEvent[],
  unchecked: readonly UncheckedSpan[] = [],
): { spans: string; moments: string } {
  const history = historyOf(events, unchecked);
  ok(history !== undefined);
  return {
    spans: history.spans.map(({ kind, from, to }) => `${kind} ${from}-${to ?? ''}`).join(', '),
    moments: history.moments.map(({ kind, at }) => `${kind} ${at}`).join(', '),
  };
}

const create = (at: number, send = 's1'): JobEvent => ({
  type: 'send',
  at,
  send,
  kind: 'create',
  prompt: 'Explain',
  home,
});
const followUp = (at: number, send: string): JobEvent => ({
  type: 'send',
  at,
  send,
  kind: 'followUp',
  prompt: 'More',
  home,
});
const created = (at: number, send = 's1', status = 'active'): JobEvent => ({
  type: 'created',
  at,
  send,
  job: snapshot(status),
});
const ended = (at: number, run: string, job = snapshot('completed', LINK)): JobEvent => ({
  type: 'changed',
  at,
  run,
  job,
  end: true,
});
const notSent = (at: number, send = 's1'): JobEvent => ({
  type: 'notSent',
  at,
  send,
  attempt: 1,
  reason: { kind: 'unreachable' },
});

describe('jobHistory', () => {
  it('ends with the run, even if the job is viewed or renamed later', () => {
    const events = [create(1), created(3), ended(9, 's1')];
    const later: JobEvent[] = [
      { type: 'seen', at: 500 },
      { type: 'renamed', at: 600, title: 'Mine' },
      { type: 'pinned', at: 700 },
    ];
    deepStrictEqual(short([...events, ...later]), short(events));
    strictEqual(historyOf([...events, ...later])?.to, 9);
  });

  it('covers a job from its prompt to its pull request', () => {
    deepStrictEqual(short([create(10), created(12), ended(60, 's1'), { type: 'seen', at: 70 }]), {
      spans: 'waiting 10-12, running 12-60',
      moments: 'prompt 10, began 12, ended 60',
    });
    const history = historyOf([create(10), created(12), ended(60, 's1')]);
    deepStrictEqual([history?.from, history?.to], [10, 60]);
    const [, began, end] = history?.moments ?? [];
    strictEqual(began?.kind === 'began' && began.to, 60);
    ok(end?.kind === 'ended' && end.isNewLink);
  });

  it('shows the idle time between two runs and leaves the last run open', () => {
    const events = [create(10), created(12), ended(60, 's1'), followUp(90, 's2'), created(91, 's2')];
    deepStrictEqual(short(events), {
      spans: 'waiting 10-12, running 12-60, idle 60-91, running 91-',
      moments: 'prompt 10, began 12, ended 60, prompt 90, began 91',
    });
    strictEqual(historyOf(events)?.to, undefined);
  });

  it('gives a run that a follow-up interrupted no separate end', () => {
    const history = historyOf([create(10), created(12), followUp(20, 's2'), created(21, 's2'), ended(50, 's2')]);
    const runs = history?.spans.filter((span) => span.kind === 'running') ?? [];
    deepStrictEqual(
      runs.map(({ from, to, end }) => [from, to, end?.status]),
      [
        [12, 21, undefined],
        [21, 50, 'completed'],
      ],
    );
  });

  it('groups identical failed attempts into one and keeps waiting', () => {
    const history = historyOf([create(10), notSent(11), notSent(20), notSent(30)]);
    deepStrictEqual(short([create(10), notSent(11), notSent(20)]), {
      spans: 'waiting 10-',
      moments: 'prompt 10, outcome 11',
    });
    const outcome = history?.moments.at(-1);
    strictEqual(outcome?.kind === 'outcome' && outcome.times, 3);
    strictEqual(history?.to, undefined);
  });

  it('marks an outcome as past once another outcome follows or the prompt is sent', () => {
    const past = (...events: JobEvent[]): boolean[] =>
      (historyOf([create(10), ...events])?.moments ?? []).flatMap((each) =>
        each.kind === 'outcome' ? [each.isPast] : [],
      );
    const noKey: JobEvent = { type: 'rejected', at: 11, send: 's1', attempt: 1, reason: { kind: 'unauthorized' } };
    const offline = notSent(20);
    deepStrictEqual(past(noKey), [false]);
    deepStrictEqual(past(noKey, { ...offline, attempt: 2 } as JobEvent), [true, false]);
    deepStrictEqual(past(offline, created(30)), [true]);
  });

  it('ends while only the user can act', () => {
    const refused: JobEvent = { type: 'rejected', at: 15, send: 's1', attempt: 1, reason: { kind: 'rejected' } };
    strictEqual(historyOf([create(10), refused])?.to, 15);
    strictEqual(historyOf([create(10), notSent(11), { type: 'discarded', at: 17, send: 's1' }])?.to, 17);
  });

  it('shows when the job was not checked because it was removed from the list', () => {
    const gone = [create(10), created(12), { type: 'untracked', at: 20 }] satisfies JobEvent[];
    deepStrictEqual(short(gone), { spans: 'waiting 10-12, running 12-20', moments: 'prompt 10, began 12, removed 20' });
    deepStrictEqual(short([...gone, { type: 'restored', at: 40 }]), {
      spans: 'waiting 10-12, running 12-, unchecked 20-40',
      moments: 'prompt 10, began 12, removed 20, restored 40',
    });
  });

  it('shows when the job could not be checked, within the job’s own time', () => {
    const unchecked: UncheckedSpan[] = [
      { from: 1, to: 5, failure: 'timeout' },
      { from: 30, to: 40, failure: 'timeout' },
      { from: 55, failure: 'unreachable' },
    ];
    deepStrictEqual(short([create(10), created(12), ended(60, 's1')], unchecked), {
      spans: 'waiting 10-12, running 12-60, unchecked 30-40, unchecked 55-60',
      moments: 'prompt 10, began 12, unchecked 30, unchecked 55, ended 60',
    });
  });

  it('starts when a job is added to the list by its ID', () => {
    const tracked = (status: string): JobEvent => ({ type: 'tracked', at: 5, home, job: snapshot(status) });
    deepStrictEqual(short([tracked('active')]), { spans: 'running 5-', moments: 'tracked 5' });
    deepStrictEqual(short([tracked('completed')]), { spans: '', moments: 'tracked 5' });
  });

  it('shows a pull request before the end and an unknown status', () => {
    const seen = (at: number, job: Snapshot): JobEvent => ({ type: 'changed', at, run: 's1', job, end: false });
    const events = [create(1), created(2), seen(3, snapshot('paused')), seen(4, snapshot('active', LINK))];
    deepStrictEqual(short(events).moments, 'prompt 1, began 2, status 3, pullRequest 4');
    const end = historyOf([...events, ended(9, 's1')])?.moments.at(-1);
    ok(end?.kind === 'ended' && !end.isNewLink);
  });

  it('continues from the latest known time when the clock was set back', () => {
    deepStrictEqual(short([create(1000), created(400), ended(500, 's1'), followUp(1200, 's2')]), {
      spans: 'running 1000-1000, idle 1000-',
      moments: 'prompt 1000, began 1000, ended 1000, prompt 1200',
    });
  });

  it('has only valid, ordered, in-range times for any events in any order', () => {
    const at = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constantFrom(Number.NaN, Infinity, -5));
    const send = fc.constantFrom('s1', 's2', 's3');
    const job = fc.tuple(fc.constantFrom('active', 'completed', 'failed', 'odd'), fc.constantFrom(null, LINK));
    const wire = job.map(([status, link]) => snapshot(status, link));
    const reason = fc.constantFrom<JobEvent & { reason: unknown }>(
      { type: 'notSent', at: 0, send: 's1', attempt: 1, reason: { kind: 'unreachable' } },
      { type: 'rejected', at: 0, send: 's2', attempt: 1, reason: { kind: 'unauthorized' } },
      { type: 'unconfirmed', at: 0, send: 's1', attempt: 1, reason: { kind: 'timeout' } },
      { type: 'throttled', at: 0, send: 's3', attempt: 2, reason: { kind: 'limit' } },
    );
    const event: fc.Arbitrary<JobEvent> = fc.oneof(
      fc.tuple(at, send).map(([time, id]) => create(time, id)),
      fc.tuple(at, send).map(([time, id]) => followUp(time, id)),
      fc
        .tuple(at, send, wire)
        .map(([time, id, seen]): JobEvent => ({ type: 'created', at: time, send: id, job: seen })),
      fc
        .tuple(at, send, wire, fc.boolean())
        .map(([time, run, seen, end]): JobEvent => ({ type: 'changed', at: time, run, job: seen, end })),
      fc.tuple(at, reason).map(([time, each]): JobEvent => ({ ...each, at: time })),
      fc.tuple(at, send).map(([time, id]): JobEvent => ({ type: 'discarded', at: time, send: id })),
      fc
        .tuple(at, fc.constantFrom('seen', 'untracked', 'restored', 'pinned' as const))
        .map(([time, type]) => ({ type, at: time })),
      fc.tuple(at, wire).map(([time, seen]): JobEvent => ({ type: 'tracked', at: time, home, job: seen })),
    );
    const gap: fc.Arbitrary<UncheckedSpan> = fc
      .tuple(fc.nat(120), fc.option(fc.nat(50), { nil: undefined }))
      .map(([from, ms]) => ({ from, to: ms === undefined ? undefined : from + ms, failure: 'timeout' }));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.array(gap, { maxLength: 4 }), (events, gaps) => {
        const history = historyOf(events, gaps);
        if (history === undefined) {
          return;
        }
        const { from, to, spans, moments } = history;
        ok(Number.isFinite(from) && (to === undefined || to >= from));
        for (const span of spans) {
          ok(Number.isFinite(span.from) && span.from >= from && span.from <= (to ?? Infinity));
          ok(span.to === undefined || (span.to >= span.from && span.to <= (to ?? Infinity)), JSON.stringify(span));
          ok(span.to !== undefined || to === undefined, 'nothing goes on after the end');
        }
        for (const [index, moment] of moments.entries()) {
          ok(moment.at >= (moments[index - 1]?.at ?? from) && moment.at <= (to ?? Infinity), JSON.stringify(history));
        }
        ok(spans.every(({ from: begin }, index) => begin >= (spans[index - 1]?.from ?? from)));
        const states = spans.filter(({ kind }) => kind !== 'unchecked');
        ok(
          states.every(({ from: begin }, index) => begin >= (states[index - 1]?.to ?? from)),
          'none lies over another',
        );
      }),
      { numRuns: 2000 },
    );
  });
});
