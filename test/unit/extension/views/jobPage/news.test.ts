import { strictEqual } from 'node:assert/strict';
import type { Story, StoryStep } from '../../../../../src/extension/views/jobPage/model';
import { newsOf } from '../../../../../src/extension/views/jobPage/page/story/news';

const step = (id: number, kind: StoryStep['kind'], text = `${kind} ${id}`): StoryStep => ({
  ...{ id: String(id), at: id, kind, tone: 'plain', text, files: [] },
});
const story = (...steps: readonly StoryStep[]): Story => ({
  ...{ isLive: true, plan: [], turns: [{ turn: 1, from: 0, steps }], earlier: 0 },
});

describe('what a screen reader is told of a story', () => {
  it('is nothing of what was there before the page', () => {
    strictEqual(newsOf(story(step(1, 'message')), undefined).text, undefined);
  });

  it('is the newest message, not each file that is read', () => {
    const { seen } = newsOf(story(step(1, 'message')), undefined);
    strictEqual(newsOf(story(step(1, 'message'), step(2, 'tool')), seen).text, undefined);
    const steps = [step(1, 'message'), step(2, 'message'), step(3, 'note'), step(4, 'tool')];
    strictEqual(newsOf(story(...steps), seen).text, 'note 3');
    strictEqual(newsOf({ ...story(...steps), isLive: false }, seen).text, undefined);
  });

  it('is one line of bearable length', () => {
    const long = newsOf(story(step(1, 'message', 'word\n'.repeat(10_000))), []).text ?? '';
    strictEqual(long.length, 241);
    strictEqual(long.includes('\n'), false);
  });
});
