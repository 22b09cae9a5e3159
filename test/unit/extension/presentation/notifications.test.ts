import { deepStrictEqual } from 'node:assert/strict';
import type { Snapshot } from '../../../../src/jobs/events';
import { Notifications } from '../../../../src/extension/presentation/notifications';
import { window } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const PULL = { prLink: 'https://git.example/o/r/pull/1' };

function shown(...ends: [status: string, change?: Partial<Snapshot>][]): string[] {
  const texts: string[] = [];
  const note = async (text: string): Promise<undefined> => void texts.push(text);
  Object.assign(window, { showInformationMessage: note, showWarningMessage: note });
  const jobs = ends.map(([status, change], index) =>
    trackedJob({ key: String(index), title: 'Title', snapshot: snapshot(status, change), endedAt: 1, unseen: true }),
  );
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
  new Notifications(log).show(jobs);
  return texts;
}

describe('one notification for several ends', () => {
  it('counts a pull request with a note as ready', () => {
    const noted = { ...PULL, note: 'A file was left out.' };
    deepStrictEqual(shown(['completed', noted], ['completed', noted]), ['2 jobs are ready for review.']);
  });
});
