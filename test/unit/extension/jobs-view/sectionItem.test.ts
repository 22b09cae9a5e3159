import { deepStrictEqual } from 'node:assert/strict';
import { sectionItem } from '../../../../src/extension/features/jobs-view/sectionItem';
import { trackedJob } from '../../../support/trackedJob';

describe('rows of sections', () => {
  it('have labels that describe them to screen readers', () => {
    const section = { id: 'state:done', heading: { by: 'state', state: 'done' } as const, jobs: [trackedJob()] };
    deepStrictEqual(sectionItem(section, false, 0).accessibilityInformation, { label: 'Done, 1 job' });
  });
});
