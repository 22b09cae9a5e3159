import { deepStrictEqual } from 'node:assert/strict';
import type { Snapshot } from '../../../../src/jobs/events';
import { archiveJob, unarchiveJob } from '../../../../src/extension/features/local-service/localServiceCommands';
import { window } from '../../../support/fakeEditor';
import { jobPicker } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('Archive', () => {
  it('says which job was archived, and can be undone at once or later', async () => {
    const location = { service: 'local', projectId: 'p' };
    let job = trackedJob({ title: 'Retries', location, snapshot: snapshot('completed', { id: 'j' }), endedAt: 1 });
    const [done, shown, states]: string[][] = [[], [], []];
    const store = {
      jobs: [job],
      get: () => job,
      record: async (_: string, event: { job: Snapshot }) => {
        job = { ...job, snapshot: event.job };
        states!.push(event.job.status);
      },
    };
    const request = (name: string) => async (_: unknown, id: string) => void done!.push(`${name} ${id}`);
    const access = {
      archive: request('archive'),
      unarchive: request('unarchive'),
      lookUp: async () => snapshot(done!.at(-1) === 'archive j' ? 'archived' : 'completed', { id: 'j' }),
    };
    Object.assign(window, {
      showInformationMessage: async (...given: string[]) => {
        shown!.push(...given);
        return 'Undo';
      },
    });
    const app = { store, access, picker: jobPicker(store) } as never;
    await archiveJob(app, { jobKey: job.key });
    deepStrictEqual(
      { done, shown, states },
      {
        done: ['archive j', 'unarchive j'],
        shown: ['Job archived: Retries', 'Undo'],
        states: ['archived', 'completed'],
      },
    );
    job = { ...job, snapshot: snapshot('archived', { id: 'j' }) };
    await unarchiveJob(app, { jobKey: job.key });
    deepStrictEqual([done!.length, states!.at(-1)], [3, 'completed']);
  });
});
