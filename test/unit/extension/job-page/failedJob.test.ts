import { deepStrictEqual } from 'node:assert/strict';
import type { ServiceAbility } from '../../../../src/client';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('the page of a failed job', () => {
  const labelsOf = async (more: Parameters<typeof snapshot>[1], abilities: readonly ServiceAbility[]) => {
    const { pageActions } = await import('../../../../src/extension/features/job-page/pageActions');
    const job = trackedJob({ snapshot: snapshot('failed', more), endedAt: 1 });
    const { actions, moreActions } = pageActions(job, { abilities: new Set(abilities) });
    return { actions: actions.map(({ label }) => label), more: moreActions.map(({ label }) => label) };
  };

  it('shows what can be done about it: send again, find out why, or put it aside', async () => {
    const local = await labelsOf({}, ['archive']);
    deepStrictEqual(local.actions.slice(-3), ['Show Log', 'Archive', 'More…']);
    deepStrictEqual([local.more.includes('Show Log'), local.more.includes('Archive')], [false, false]);
    deepStrictEqual(local.more.includes('Remove from List'), true);
    const hosted = await labelsOf({}, []);
    deepStrictEqual(hosted.actions.slice(-3), ['Show Log', 'Remove from List', 'More…']);
  });

  it('offers no more than usual when the user stopped the job', async () => {
    const { actions } = await labelsOf({ stopped: true }, ['archive']);
    deepStrictEqual([actions.includes('Show Log'), actions.includes('Archive')], [false, false]);
  });
});
