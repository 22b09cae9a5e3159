import { deepStrictEqual } from 'node:assert/strict';
import { moreItem, sectionItem } from '../../../../src/extension/features/jobs-view/sectionItem';
import { trackedJob } from '../../../support/trackedJob';

describe('rows of sections', () => {
  it('have labels that describe them to screen readers', () => {
    const section = { id: 'state:done', heading: { by: 'state', state: 'done' } as const, jobs: [trackedJob()] };
    const labels = [sectionItem(section, false, 0), moreItem(section, 1800, 0)].map(
      ({ accessibilityInformation }) => accessibilityInformation?.label,
    );
    deepStrictEqual(labels, ['Done, 1 job', 'Show more jobs in “Done” (1,800 more)']);
  });
});
