import { deepStrictEqual } from 'node:assert/strict';
import { jobHistory } from '../../../../src/jobs/jobHistory';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('the page of a merged local job', () => {
  it('offers a follow-up instead of a review, and says that its changes can be merged, too', async () => {
    const { pageModel } = await import('../../../../src/extension/features/job-page/pageModel');
    const done = snapshot('completed', { ref: 'docs-agent/j', prLink: 'http://127.0.0.1:1/review/j' });
    const job = trackedJob({ snapshot: done, endedAt: 1 });
    const history = jobHistory(job, [], []);
    const model = pageModel({ job, history, health: undefined, usual: undefined, pull: 'merged', now: 2 });
    deepStrictEqual(
      model.actions.map(({ label }) => label),
      ['Follow-up', 'More…'],
    );
    const more = model.moreActions.map(({ label }) => label);
    deepStrictEqual([more.includes('Restore Branch'), more.includes('Check Out Branch')], [true, false]);
    deepStrictEqual(more.includes('Undo Merge'), true);
    deepStrictEqual(more.includes('Merge…'), false);
    deepStrictEqual(
      model.followUp.placeholder,
      'This job is merged. A follow-up makes new changes that you can review and merge.',
    );
  });
});
