import { deepStrictEqual } from 'node:assert/strict';
import { promptsWith, sentPrompts } from '../../../../src/extension/features/prompt/box/promptHistory';
import type { OutgoingPrompt, PromptState, TrackedJob } from '../../../../src/jobs/trackedJob';
import { trackedJob } from '../../../support/trackedJob';

function job(key: string, prompts: readonly OutgoingPrompt[], untracked = false): TrackedJob {
  return trackedJob({ key, prompts, untracked });
}

function send(prompt: string, at: number, state: PromptState = 'created'): OutgoingPrompt {
  return { id: `${prompt} ${at}`, kind: 'create', text: prompt, at, attempt: 1, state };
}

const told = (jobs: TrackedJob[]): [string, number, string][] =>
  sentPrompts(jobs).map(({ text, at, job: { key } }) => [text, at, key]);

describe('sent prompts', () => {
  it('are listed newest first with follow-ups, and identical ones once with their last job', () => {
    const jobs = [
      job('a', [send('One', 1), send('Two', 4)]),
      job('b', [send('One\n', 3)]),
      job('c', [send('Three', 2)]),
    ];
    deepStrictEqual(told(jobs), [
      ['Two', 4, 'a'],
      ['One', 3, 'b'],
      ['Three', 2, 'c'],
    ]);
  });

  it('include prompts that were not delivered yet, but no discarded ones', () => {
    const states: PromptState[] = ['queued', 'sending', 'rejected', 'waiting', 'unconfirmed', 'discarded'];
    const jobs = states.map((state, at) => job(state, [send(state, at, state)]));
    deepStrictEqual(
      told(jobs).map(([text]) => text),
      ['unconfirmed', 'waiting', 'rejected', 'sending', 'queued'],
    );
  });

  it('stay listed when their job is removed from the list', () => {
    deepStrictEqual(told([job('a', [send('One', 1)], true)]), [['One', 1, 'a']]);
  });

  it('are found by words anywhere in them, in any order and case', () => {
    const prompts = sentPrompts([job('a', [send('First line\n\nthe Retry policy', 1), send('Retry', 2)])]);
    const found = (search: string): number[] => promptsWith(prompts, search).map(({ at }) => at);
    deepStrictEqual(
      [found('policy FIRST'), found(' retry '), found('  '), found('retry never')],
      [[1], [2, 1], [2, 1], []],
    );
  });
});
