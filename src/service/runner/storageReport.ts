import { lstat, opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StorageAnswer } from '../../shared/protocol/localService';
import { cutText, joinBytes } from '../text';
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
 * What would be free without the folder, in bytes. A file is not counted that has another name elsewhere: the service's
 * clone shares git's objects with the user's repository. What goes meanwhile is not counted, either.
 */
export async function diskUsage(folder: string): Promise<number> {
  let bytes = 0;
  /** How many names are still to be found of each file that has several. */
  const missing = new Map<string, number>();
  const count = async (file: Buffer): Promise<void> => {
    const { nlink, blocks, dev, ino } = await lstat(file, { bigint: true });
    const identity = `${dev}:${ino}`;
    const left = (missing.get(identity) ?? Number(nlink)) - 1;
    if (nlink > 1) {
      missing.set(identity, left);
    }
    bytes += left === 0 ? Number(blocks) * BLOCK_BYTES : 0;
  };
  const look = async (within: Buffer): Promise<void> => {
    // The types of Node know no `buffer` here.
    for await (const entry of await opendir(within, { encoding: 'buffer' as BufferEncoding })) {
      const path = joinBytes(within, entry.name);
      // Gone, closed to us, or nested too deep.
      await (entry.isDirectory() ? look(path) : count(path)).catch(() => undefined);
    }
  };
  await look(Buffer.from(folder)).catch(() => undefined);
  return bytes;
}
