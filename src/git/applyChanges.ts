import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lstatIfThere } from '../base/files';
import { placeToCompare, PLAIN_DIFF } from './diff';
import { GitError } from './errors';
import type { ChangeRepository } from './git';

/** Git failed while it was writing, and not everything could be put back. */
export class NotRestored extends GitError {
  constructor(
    message: string,
    readonly paths: readonly string[],
    /** The folder with copies of all files that git has replaced or deleted. */
    readonly copies: string,
  ) {
    super(message, undefined, undefined);
  }
}

export interface AppliedChanges {
  /** The commits between which the changes were made. */
  base: string;
  commit: string;
  /** The files that differ, with the old names of renamed ones. */
  paths: readonly string[];
}

/**
 * Applies changes to the files of the user's work tree: all of them or none, and nothing is staged. Throws GitError if
 * git refuses.
 *
 * @param run the user's git, whose filters the new content has to pass
 * @returns whether there was anything to apply that the files don't have already
 */
export async function applyChanges(
  { git, place }: Pick<ChangeRepository, 'git' | 'place'>,
  { base, commit, paths }: AppliedChanges,
  run: (...args: string[]) => Promise<string>,
): Promise<boolean> {
  const scratch = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  const [patch, copies] = [join(scratch, 'patch'), join(scratch, 'copies')];
  const apply = (...args: string[]): Promise<string> =>
    run('apply', '--whitespace=nowarn', '--no-ignore-whitespace', ...args, '--', patch);
  let isKept = false;
  try {
    // In a file, because its bytes need not be UTF-8.
    const format = ['--no-renames', '--ignore-submodules=none', '--binary', '--full-index', `--output=${patch}`];
    const compared = [base, commit];
    await git.run(await placeToCompare({ git, place }, compared), [
      ...PLAIN_DIFF,
      ...format,
      '--src-prefix=a/',
      '--dst-prefix=b/',
      ...compared,
      '--',
    ]);
    if (paths.length === 0 || (await succeeds(apply('--check', '--reverse')))) {
      return false;
    }
    await apply('--check');
    await withCopies({ folder: place.folder, paths, copies }, () => apply());
    return true;
  } catch (error) {
    isKept = error instanceof NotRestored;
    throw error;
  } finally {
    if (!isKept) {
      await rm(scratch, { recursive: true, force: true });
    }
  }
}

async function succeeds(command: Promise<string>): Promise<boolean> {
  try {
    await command;
    return true;
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return false;
    }
    throw error;
  }
}

/**
 * Puts the files back if git fails: it deletes all that it replaces before it writes the first, so that on a full disk,
 * or in a folder without write access, they would be lost.
 */
async function withCopies(
  { folder, paths, copies }: { folder: string; paths: readonly string[]; copies: string },
  work: () => Promise<unknown>,
): Promise<void> {
  const exact = { verbatimSymlinks: true, preserveTimestamps: true };
  const old: string[] = [];
  const fresh: string[] = [];
  const root = await realpath(folder);
  for (const path of paths) {
    // Beyond a link is not what git writes, even if it replaces the link with a folder.
    const parent = await realpath(join(root, dirname(path))).catch(() => undefined);
    const found = await lstatIfThere(join(root, path));
    if (parent !== undefined && parent !== join(root, dirname(path))) {
      continue;
    }
    if (found === undefined) {
      fresh.push(path);
    } else if (!found.isDirectory()) {
      await cp(join(root, path), join(copies, path), exact);
      old.push(path);
    }
  }
  try {
    await work();
  } catch (error) {
    // First, because they may take the space.
    await Promise.all(fresh.map((path) => rm(join(root, path), { force: true }).catch(() => undefined)));
    const lost: string[] = [];
    for (const path of old) {
      await cp(join(copies, path), join(root, path), exact).catch(() => lost.push(path));
    }
    throw lost.length === 0 ? error : new NotRestored((error as Error).message, lost, copies);
  }
}
