import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Story, StoryStep } from '../../../../src/extension/features/job-page/model';
import { getAnnouncements } from '../../../../src/extension/features/job-page/page/announcements';

const step = (id: number, kind: StoryStep['kind'], text = `${kind} ${id}`): StoryStep => ({
  ...{ id: String(id), at: id, kind, tone: 'plain', text, files: [] },
});
const story = (...steps: readonly StoryStep[]): Story => ({
  ...{ isLive: true, plan: [], turns: [{ turn: 1, from: 0, steps }], earlier: 0 },
});

const NONE = getAnnouncements(story(), undefined);

describe('screen reader announcements of agent activity', () => {
  it('omit activity from before the page was opened', () => {
    deepStrictEqual(getAnnouncements(story(step(1, 'message')), undefined).texts, []);
    const ended = { ...story(step(1, 'message')), isLive: false };
    const read = { ...story(step(1, 'message'), step(2, 'message')), isLive: false };
    deepStrictEqual(getAnnouncements(read, getAnnouncements(ended, undefined)).texts, []);
  });

  it('contain only the newest message, not every file that is read', () => {
    const before = getAnnouncements(story(step(1, 'message')), undefined);
    deepStrictEqual(getAnnouncements(story(step(1, 'message'), step(2, 'tool')), before).texts, []);
    const steps = [step(1, 'message'), step(2, 'message'), step(3, 'note'), step(4, 'tool')];
    deepStrictEqual(getAnnouncements(story(...steps), before).texts, ['note 3']);
  });

  it('contain the last message and the end, whenever the end arrives', () => {
    const steps = [step(1, 'message'), step(2, 'message'), step(3, 'tool'), step(4, 'state', 'Finished')];
    const first = getAnnouncements(story(...steps.slice(0, 1)), undefined);
    const ended = getAnnouncements({ ...story(...steps), isLive: false }, first);
    deepStrictEqual(ended.texts, ['message 2', 'Finished']);
    deepStrictEqual(getAnnouncements({ ...story(...steps), isLive: false }, ended).texts, []);
    const stopped = getAnnouncements({ ...story(...steps.slice(0, 3)), isLive: false }, first);
    deepStrictEqual(stopped.texts, ['message 2']);
    deepStrictEqual(getAnnouncements({ ...story(...steps), isLive: false }, stopped).texts, ['Finished']);
  });

  it('are one line of limited length', () => {
    const [long = ''] = getAnnouncements(story(step(1, 'message', 'word\n'.repeat(10_000))), NONE).texts;
    strictEqual(long.length, 241);
    strictEqual(long.includes('\n'), false);
  });
});
