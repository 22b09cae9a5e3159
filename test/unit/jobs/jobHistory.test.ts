import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { JobEvent, Snapshot } from '../../../src/jobs/events';
import { getRunTime, type JobHistory, jobHistory } from '../../../src/jobs/jobHistory';
import { reduceEvents } from '../../../src/jobs/trackedJob';
import { snapshot as told } from '../../support/trackedJob';
import { home } from '../../support/testWindow';

const LINK = 'https://github.com/o/r/pull/1';

const snapshot = (status: string, prLink: string | null = null): Snapshot => told(status, { id: 'j1', prLink });

function historyOf(events: readonly JobEvent[]): JobHistory | undefined {
  const stamped = events.map((event, index) => ({ stamp: String(index).padStart(6, '0'), event }));
  const job = reduceEvents('k', stamped);
  return job && jobHistory(job, stamped);
}

/** The runs as short strings, such as `2-5 completed`. */
function runsOf(...events: JobEvent[]): string[] {
  return (historyOf(events)?.runs ?? []).map(({ origin, from, to, end }) =>
    [origin, `${from}-${to ?? ''}`, end?.status].filter((word) => word !== undefined).join(' '),
  );
}

const send = (at: number, id = 's1', kind: 'create' | 'followUp' = 'create'): JobEvent => ({
  ...{ type: 'send', at, promptId: id, kind, text: 'Explain', home },
});
const followUp = (at: number, id: string): JobEvent => send(at, id, 'followUp');
const created = (at: number, id = 's1', status = 'active'): JobEvent => ({
  ...{ type: 'created', at, promptId: id, job: snapshot(status) },
});
const ended = (at: number, run: string, job = snapshot('completed', LINK)): JobEvent => ({
  ...{ type: 'changed', at, run, job, end: true },
});
const tracked = (at: number, job: Snapshot): JobEvent => ({ type: 'tracked', at, home, job });
const resumed = (at: number, job: Snapshot, end: boolean): JobEvent => ({
  ...{ type: 'resumed', at, run: 'elsewhere', job, end },
});

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
    const archived = ended(9, 's1', snapshot('archived', LINK));
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
