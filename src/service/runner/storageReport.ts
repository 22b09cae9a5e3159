import { lstat, opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StorageAnswer } from '../../shared/protocol/localService';
import { cutText } from '../cutText';
import type { JobStore } from '../store/jobStore';
import { jobStatus } from './jobState';

const MAX_TITLE = 100;
/** On each system Node counts the disk in these (`st_blocks`, on Windows from the size of allocation). */
const BLOCK_BYTES = 512;

/** What the folders of jobs take on the disk, the largest first. */
export async function storageReport(store: JobStore, jobsFolder: string): Promise<StorageAnswer> {
  const jobs: StorageAnswer['jobs'] = [];
  for (const jobId of await readdir(jobsFolder)) {
    const job = store.job(jobId);
    if (job !== undefined) {
      const turns = store.turns(jobId);
      const { status } = jobStatus(turns);
      const folder = join(jobsFolder, jobId);
      jobs.push({
        jobId,
        projectId: job.projectId,
        title: cutText(turns[0]?.prompt.trim().split('\n', 1)[0] ?? '', MAX_TITLE),
        status: status !== 'active' && job.archivedAt !== null ? 'archived' : status,
        folder,
        bytes: await diskUsage(folder),
      });
    }
  }
  const bytes = jobs.reduce((sum, job) => sum + job.bytes, 0);
  return { bytes, jobs: jobs.toSorted((a, b) => b.bytes - a.bytes) };
}

/**
 * What would be free without the folder, in bytes. A file of several names is not counted: clones share git's objects
 * with the user's repository. What goes meanwhile is not counted, either.
 */
async function diskUsage(folder: string): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        bytes += await diskUsage(path);
      } else {
        const found = await lstat(path).catch(() => undefined);
        bytes += found === undefined || found.nlink > 1 ? 0 : found.blocks * BLOCK_BYTES;
      }
    }
  } catch {
    // Gone, or closed to us.
  }
  return bytes;
}
