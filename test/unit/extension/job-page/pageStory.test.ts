import assert from 'node:assert/strict';
import { pageStory, preparePageStory } from '../../../../src/extension/features/job-page/pageStory';
import { EMPTY_ACTIVITY, reduceActivity } from '../../../../src/jobs/agentActivity';
import type { ActivityEntry } from '../../../../src/protocol/activity';

describe('activity log on a job’s page', () => {
  const at = '2026-05-01T10:00:00.000Z';
  const storyOf = (entries: readonly ActivityEntry[]) =>
    reduceActivity(
      EMPTY_ACTIVITY,
      entries.map((entry, index) => ({ id: index + 1, turn: 1, at, entry })),
    );

  it('is converted over several turns of the event loop, because a service may make each entry slow to convert', async () => {
    const text = '\u0915\u200d'.repeat(8_000);
    const story = storyOf(Array.from({ length: 200 }, () => ({ kind: 'note', text })));
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    setImmediate(count);
    await preparePageStory(story);
    isOver = true;
    assert.ok(turns > 1, `${turns} turns`);
    assert.equal(pageStory(story, true).turns[0]?.steps.length, 200);
  });

  it('offers no file whose path is too long, and only the first hundred steps of a plan', () => {
    const files = ['docs/a.md', 'a'.repeat(301)];
    const steps = Array.from({ length: 101 }, (_, index) => ({ text: `${index}`, state: 'pending' as const }));
    const { turns, plan } = pageStory(
      storyOf([
        { kind: 'plan', steps },
        { kind: 'tool', call: 'a', title: 'Read', tool: 'read', state: 'completed', files },
      ]),
      true,
    );
    assert.deepEqual(turns[0]?.steps[0]?.files, ['docs/a.md']);
    assert.equal(plan.length, 100);
  });
});
