import { deepStrictEqual } from 'node:assert/strict';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('the timeline of a local job', () => {
  it('says once that the changes are ready, and shows no duration for a run that was only seen at its end', async () => {
    const { pageTimeline } = await import('../../../../src/extension/features/job-page/pageTimeline');
    const link = { id: 'j', prLink: 'http://127.0.0.1:1/review/j' };
    const done = snapshot('completed', link);
    const job = trackedJob({ snapshot: done, endedAt: 9000 });
    const history = {
      ...{ from: 0, to: 9000, spans: [] },
      moments: [
        { kind: 'began', id: 'a', at: 8900, to: 9000 },
        { kind: 'pullRequest', id: 'b', at: 8950, snapshot: snapshot('active', link) },
        { kind: 'ended', id: 'c', at: 9000, snapshot: done, isNewLink: false },
      ],
    };
    const { entries } = pageTimeline(job, history as never);
    deepStrictEqual(
      entries.map(({ title, duration }) => [title, duration]),
      [
        ['Run', undefined],
        ['Changes ready', undefined],
      ],
    );
  });
});
