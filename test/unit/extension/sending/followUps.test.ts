import { deepStrictEqual } from 'node:assert/strict';
import { saveFollowUp } from '../../../../src/extension/sending/followUps';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { window } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('a follow-up to a job whose pull request was closed without merging', () => {
  const pullRequest = { url: 'https://git.example/acme/docs/pulls/1', state: 'closed' as const };
  const job = trackedJob({ snapshot: snapshot('completed', { surroundings: { pullRequest } }), endedAt: 1 });

  for (const choice of ['Send', undefined]) {
    it(`is ${choice === undefined ? 'not sent if the user cancels' : 'sent if the user agrees'}`, async () => {
      const asked: string[] = [];
      const sent: unknown[] = [];
      const ask = async (question: string): Promise<string | undefined> => {
        asked.push(question);
        return choice;
      };
      Object.assign(window, { showWarningMessage: ask });
      const sender = { followUp: async (_: TrackedJob, ...prompt: unknown[]) => void sent.push(prompt) };
      await saveFollowUp({ store: { get: () => job }, sender } as never, job, 'More');
      const question = 'Pull request #1 was closed without merging. Send the follow-up anyway?';
      deepStrictEqual([asked, sent], [[question], choice === undefined ? [] : [['More', 'now']]]);
    });
  }
});
