import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TrackedJob, isListed } from '../../../jobs/trackedJob';

/** True when a folder has the branch of a job checked out. One small file a folder, because each window that opens asks. */
export async function isJobCheckedOut(jobs: readonly TrackedJob[], folders: readonly string[]): Promise<boolean> {
  const branches = new Set(jobs.filter(isListed).map(({ snapshot }) => snapshot?.ref));
  const heads = folders.map((folder) => readFile(join(folder, '.git/HEAD'), 'utf8').catch(() => ''));
  return (await Promise.all(heads)).some((head) => {
    const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
    return branch !== undefined && branches.has(branch);
  });
}
