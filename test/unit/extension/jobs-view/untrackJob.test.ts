import { deepStrictEqual } from 'node:assert/strict';
import '../../../support/fakeEditor';
import { editor } from '../../../support/fakeEditor';
import { untrackJob } from '../../../../src/extension/features/jobs-view/jobCommands';
import type { OutgoingPrompt } from '../../../../src/jobs/trackedJob';
import { jobPicker } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';

/** Removes a job with a follow-up that waits, which has this state after it was discarded. */
async function remove(state: OutgoingPrompt['state']): Promise<{ shown: string[]; recorded: string[] }> {
  const [shown, recorded]: [string[], string[]] = [[], []];
  const send = { id: 's', kind: 'followUp', text: 'And then?', at: 0, attempt: 0 } as const;
  const home = { service: 'https://docs.example', projectId: 'p' };
  let job = trackedJob({ home, snapshot: snapshot('active'), prompts: [{ ...send, state: 'waiting' }] });
  Object.assign(editor.window, {
    showWarningMessage: async (_text: string, _options: object, choice: string) => choice,
    showInformationMessage: async (text: string) => void shown.push(text),
  });
  const append = async (_key: string, { type }: { type: string }) => void recorded.push(type);
  const store = { jobs: [job], get: () => job, append };
  const outbox = { discard: async () => void (job = { ...job, prompts: [{ ...send, state }] }) };
  await untrackJob({ store, outbox, picker: jobPicker(store) } as never, { jobKey: job.key });
  return { shown, recorded };
}

describe('Remove from List', () => {
  it('removes a job whose waiting follow-ups were discarded', async () => {
    deepStrictEqual((await remove('discarded')).recorded, ['untracked']);
  });

  it('leaves a job in the list when a follow-up can no longer be discarded, and says so', async () => {
    const { shown, recorded } = await remove('sending');
    deepStrictEqual(
      [recorded, shown],
      [
        [],
        [
          'A follow-up is already being sent, so the job stays in the list. Remove the job after the service has responded.',
        ],
      ],
    );
  });
});
