import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Git, GitPlace } from '../../git/git';
import { joinBytes } from '../../base/files';

/** Larger files are not compared and count as changed. In bytes. */
const MAX_COMPARED = 64 * 1024 * 1024;

/** A file that git stages as changed. */
export interface ChangedFile {
  mode: string;
  oldId: string;
  /** With one character per byte. */
  path: string;
}

/**
 * Stages the old content of files in which git sees a change although the agent has not touched them: attributes that
 * were added later (`text`, `ident`, an encoding) normalize a file whenever it is staged. To find them, this checks the
 * files out again and compares the bytes.
 *
 * @param work the work folder; the files are checked out next to it
 */
export async function unstageUntouched(
  git: Git,
  host: GitPlace,
  work: string,
  parent: string,
  files: readonly ChangedFile[],
): Promise<void> {
  if (files.length === 0) {
    return;
  }
  const directory = await mkdtemp(join(dirname(work), 'untouched-'));
  try {
    const environment = { GIT_INDEX_FILE: join(directory, 'index') };
    await git.run(host, ['read-tree', parent], { environment });
    const copies = join(directory, 'files');
    const args = ['checkout-index', '--quiet', '-z', '--stdin', `--prefix=${copies}/`];
    const input = files.map(({ path }) => `${path}\0`).join('');
    await git.run(host, args, { environment, input, bytes: true });
    const untouched: string[] = [];
    for (const { mode, oldId, path } of files) {
      const name = Buffer.from(path, 'latin1');
      if (await haveSameBytes(joinBytes(work, name), joinBytes(copies, name))) {
        untouched.push(`${mode} ${oldId} 0\t${path}\0`);
      }
    }
    if (untouched.length > 0) {
      await git.run(host, ['update-index', '-z', '--index-info'], { input: untouched.join(''), bytes: true });
    }
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function haveSameBytes(one: Buffer, other: Buffer): Promise<boolean> {
  const stats = await Promise.all([one, other].map((path) => lstat(path).catch(() => undefined)));
  const [first, second] = stats;
  if (first?.isFile() !== true || second?.isFile() !== true || first.size !== second.size) {
    return false;
  }
  return first.size <= MAX_COMPARED && (await readFile(one)).equals(await readFile(other));
}
