import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, GitError, type GitOptions } from '../../../git/git';
import { switchedOff } from '../../../git/switchedOff';
import { MergeRefusal } from './mergeRefusal';

/** The user's checkout, on a branch and at rest. */
export interface Checkout {
  /** The work tree. */
  folder: string;
  /** The full name of the branch: `refs/heads/main`. */
  ref: string;
  /** Its commit. */
  head: string;
  indexFile: string;
  objects: string;
  /** Runs git there; no program that the repository names runs. Throws GitError. */
  run: (args: readonly string[], options?: GitOptions) => Promise<string>;
}

/** What git leaves in its directory while something is not finished, and the words for it. */
const UNFINISHED: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/**
 * One process at a time, a whole index each time, no replaced object, and nothing left of what a driver of the user's
 * would do by itself.
 */
const PLAIN_SETTINGS = ['core.splitIndex=false', 'core.untrackedCache=false', 'checkout.workers=1'];

/** Throws MergeRefusal when there is no branch to merge into, or something is not finished there. */
export async function readCheckout(git: Git, folder: string): Promise<Checkout> {
  const run = await quietGit(git, folder);
  const [topLevel, gitDir, indexFile, objects] = (
    await run([
      ...['rev-parse', '--path-format=absolute', '--show-toplevel', '--absolute-git-dir'],
      ...['--git-path', 'index', '--git-path', 'objects'],
    ]).catch(asRefusal)
  ).split('\n');
  if (gitDir === undefined || indexFile === undefined || objects === undefined) {
    throw new MergeRefusal(`“${folder}” can’t be read as a git repository. Check that it is still there.`);
  }
  if ((await realpath(topLevel ?? '').catch(() => '')) !== folder) {
    throw new MergeRefusal(
      `The work tree of the repository in “${folder}” is elsewhere now. Merge on the command line.`,
    );
  }
  const ref = (await run(['symbolic-ref', '--quiet', 'HEAD']).catch(() => '')).trim();
  if (!ref.startsWith('refs/heads/')) {
    throw new MergeRefusal('Your checkout is not on a branch. Switch to the branch to merge into, then try again.');
  }
  const head = (await run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]).catch(() => '')).trim();
  if (head === '') {
    throw new MergeRefusal('The branch that you are on has no commit yet. Switch to another branch, then try again.');
  }
  await refuseUnfinished(gitDir, run);
  return { folder, ref, head, indexFile, objects, run };
}

/** The name of the branch as a person says it. */
export function branchName({ ref }: Pick<Checkout, 'ref'>): string {
  return ref.slice('refs/heads/'.length);
}

async function refuseUnfinished(gitDir: string, run: Checkout['run']): Promise<void> {
  for (const [file, what] of UNFINISHED) {
    if ((await stat(join(gitDir, file)).catch(() => undefined)) !== undefined) {
      throw new MergeRefusal(`A ${what} is not finished in your checkout. Finish or abort it, then try again.`);
    }
  }
  const unmerged = await run(['ls-files', '--unmerged', '-z']).catch((error: unknown) => {
    throw error instanceof GitError ? new MergeRefusal(unreadableIndex(error)) : error;
  });
  if (unmerged !== '') {
    throw new MergeRefusal('Your checkout holds unresolved conflicts. Resolve them, then try again.');
  }
  const sparse = await run(['config', '--type=bool', '--get', 'core.sparseCheckout']).catch(() => '');
  if (sparse.trim() === 'true') {
    throw new MergeRefusal('Your checkout is sparse. Merge on the command line.');
  }
}

function unreadableIndex(error: GitError): string {
  return `git can’t read the index of your checkout: ${error.message}. Move the file “.git/index” away and run “git reset”, then try again.`;
}

/** Line ends are the user's own affair: what they set for all repositories counts here as well. */
async function quietGit(git: Git, folder: string): Promise<Checkout['run']> {
  const settings = [...PLAIN_SETTINGS];
  for (const key of ['core.autocrlf', 'core.eol']) {
    const value = await git.configured(folder, key);
    if (value !== undefined) {
      settings.push(`${key}=${value}`);
    }
  }
  const place = await switchedOff(git, { folder }).catch(asRefusal);
  const environment = { ...place.environment, GIT_NO_REPLACE_OBJECTS: '1' };
  const before = settings.flatMap((setting) => ['-c', setting]);
  return (args, options) => git.run({ ...place, environment }, [...before, ...args], options);
}

function asRefusal(error: unknown): never {
  throw error instanceof GitError ? new MergeRefusal(`git said: ${error.message}`) : error;
}
