import { strictEqual } from 'node:assert/strict';
import { isJobCheckedOut } from '../../../../../src/extension/features/pull-requests/restorePullRequests';
import type { TrackedJob } from '../../../../../src/jobs/trackedJob';
import { git, sampleRepository } from '../../../../support/temporaryRepository';

describe('isJobCheckedOut', () => {
  const job = (ref: string | null, untracked = false): TrackedJob => {
    const location = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
    const nothing = { prLink: null, model: null, createdAt: null, error: null, repository: null };
    const snapshot = { id: 'j1', status: 'completed' as const, ref, ...nothing };
    const state = { run: 'tracked', awaitsActive: false, prLinkBefore: null, unseen: false, untracked };
    return { key: 'k1', location, prompts: [], snapshot, createdAt: 1, updatedAt: 1, ...state };
  };

  it('detects the branch of a listed job in its repository', async () => {
    const folder = await sampleRepository();
    const folders = [`${folder}/docs`, folder];
    strictEqual(await isJobCheckedOut([job('docs-agent/a')], folders), false);
    await git(folder, 'switch', '--quiet', '-c', 'docs-agent/a');
    strictEqual(await isJobCheckedOut([job(null), job('docs-agent/a')], folders), true);
    strictEqual(await isJobCheckedOut([job('docs-agent/a', true)], folders), false);
    await git(folder, 'switch', '--quiet', '--detach');
    strictEqual(await isJobCheckedOut([job('docs-agent/a'), job(null)], folders), false);
  });
});
