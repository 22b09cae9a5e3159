import { copyFile, open, readFile, stat, utimes } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { move, removeFile } from '../../../shared/util/durability';
import { PRIVATE_FILE } from '../../../shared/util/fileModes';
import { MergeRefusal } from './mergeRefusal';

/** How long a git command that outlived a killed service may go on with our own copy of the index. */
const ORPHAN_LIMIT_MS = 5_000;

/**
 * The lock by which git keeps others from the index and the work tree, held over all of a merge. Beside it stands a copy
 * of the index, on which the git commands of the merge work.
 */
export interface IndexLock {
  /** Environment of commands that are to work on the copy. */
  environment: { GIT_INDEX_FILE: string };
  /** Puts the copy in the place of the index, in one step. */
  install(): Promise<void>;
  /** Makes the copy anew, of the index as it is now. */
  copyAgain(): Promise<void>;
  release(): Promise<void>;
}

/** Takes the lock, or takes it over from a merge of the same job that was killed. Throws MergeRefusal. */
export async function lockIndex(indexFile: string, jobId: string): Promise<IndexLock> {
  const lock = `${indexFile}.lock`;
  const copy = copyOf(indexFile);
  if (!(await claim(lock, markOf(jobId)))) {
    throw new MergeRefusal('Another git command is working in your repository. Try again when it has ended.');
  }
  try {
    await waitForOrphan(`${copy}.lock`);
    await copyIndex(indexFile, copy);
  } catch (error) {
    await removeFile(copy);
    await removeFile(lock);
    throw error;
  }
  return {
    environment: { GIT_INDEX_FILE: copy },
    install: () => move(copy, indexFile),
    copyAgain: () => copyIndex(indexFile, copy),
    release: async () => {
      await removeFile(copy);
      await removeFile(lock);
    },
  };
}

function copyOf(indexFile: string): string {
  return `${indexFile}.docs-agent`;
}

/** What stands in the lock, so that one that was left behind can be told from another's. */
function markOf(jobId: string): string {
  return `docs-agent ${jobId}\n`;
}

async function claim(lock: string, mark: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', PRIVATE_FILE);
    try {
      await file.writeFile(mark);
      await file.sync();
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new MergeRefusal(`Your repository can’t be written to: ${(error as Error).message}`);
    }
    return (await readFile(lock, 'utf8').catch(() => '')) === mark;
  }
}

async function waitForOrphan(lock: string): Promise<void> {
  for (const start = Date.now(); (await stat(lock).catch(() => undefined)) !== undefined;) {
    if (Date.now() - start > ORPHAN_LIMIT_MS) {
      await removeFile(lock);
      return;
    }
    await delay(50);
  }
}

/**
 * A file that was changed in the very moment in which the index was written can be told by the time of the index alone,
 * so the copy may not be younger (git: Documentation/technical/racy-git.txt).
 */
async function copyIndex(indexFile: string, copy: string): Promise<void> {
  const found = await stat(indexFile).catch(() => undefined);
  await removeFile(copy);
  if (found !== undefined) {
    await copyFile(indexFile, copy);
    const seconds = Math.floor(found.mtimeMs / 1000);
    await utimes(copy, seconds, seconds);
  }
}
