import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { ActivityStep } from '../../../../src/extension/features/job-page/model';
import { getAnnouncements } from '../../../../src/extension/features/job-page/page/announcements';

const step = (id: number, kind: ActivityStep['kind'], text = `${kind} ${id}`): ActivityStep => ({
  ...{ id, at: id, kind, tone: 'plain', text, files: [] },
});
const texts = (steps: readonly ActivityStep[], seen: number): string[] =>
  getAnnouncements(steps, seen).map(({ text }) => text);

describe('screen reader announcements of agent activity', () => {
  it('contain only the newest message, not every file that is read', () => {
    deepStrictEqual(texts([step(1, 'message'), step(2, 'tool')], 1), []);
    deepStrictEqual(texts([step(1, 'message'), step(2, 'message'), step(3, 'note'), step(4, 'tool')], 1), ['note 3']);
  });

  it('contain the last message and the end, whenever the end arrives', () => {
    const steps = [step(1, 'message'), step(2, 'message'), step(3, 'tool'), step(4, 'state', 'Finished')];
    deepStrictEqual(texts(steps, 1), ['message 2', 'Finished']);
    deepStrictEqual(texts(steps, 3), ['Finished']);
    deepStrictEqual(texts(steps, 4), []);
  });

  it('are one line of limited length', () => {
    const [long = ''] = texts([step(1, 'message', 'word\n'.repeat(10_000))], 0);
    strictEqual(long.length, 241);
    strictEqual(long.includes('\n'), false);
  });
});
