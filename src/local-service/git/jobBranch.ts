import { join } from 'node:path';
import { disableRepositoryPrograms } from '../../git/repositorySettings';
import { type Git, GitError, type GitPlace, type RunGit } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { HostHasMore, TurnFailure } from '../turnFailure';
import { branchConflict, hostPlace, type JobFolders } from './jobClone';
import { type FindSigning, makeCommit } from './makeCommit';
import type { Identity } from './userRepository';

/**
 * Commits a tree to the job's branch in the service's own git directory, with commands that run no hook, editor or
 * program of the repository.
 *
 * @param commit `merged` are further parents
 * @returns the id of the commit, or undefined if the tree is that of the parent and nothing is merged
 */
export async function commitTree(
  git: Git,
  folders: JobFolders,
  commit: {
    branch: string;
    parent: string;
    parentTree?: string | undefined;
    merged?: readonly string[];
    tree: string;
    message: string;
    author: Identity;
  },
  findSigning?: FindSigning,
): Promise<{ id: string; note?: CodedText } | undefined> {
  const host = await disableRepositoryPrograms(git, hostPlace(folders));
  const parentTree =
    commit.parentTree ?? (await git.run(host, ['rev-parse', '--verify', `${commit.parent}^{tree}`])).trim();
  const { merged = [] } = commit;
  if (parentTree === commit.tree && merged.length === 0) {
    return undefined;
  }
  const run: RunGit = (args, options) => git.run(host, args, options);
  const made = await makeCommit(run, { ...commit, parents: [commit.parent, ...merged] }, findSigning);
  await run(['update-ref', `refs/heads/${commit.branch}`, made.id, commit.parent]);
  return made;
}

/**
 * Fetches the job's branch into the user's repository and changes nothing else there: no checkout, index, other branch,
 * `FETCH_HEAD`, tag, hook or maintenance. The branch is only fast-forwarded, so that commits that the user added to it
 * are not lost. Throws TurnFailure: HostHasMore if the branch there has more.
 *
 * @param options `name` is what error messages call the repository; `isReplaced` allows replacing what the branch has;
 *   `commit` is the one that the job's branch has
 */
export async function publishBranch(
  git: Git,
  repository: string | GitPlace,
  hostGit: string,
  branch: string,
  {
    name = coded('yourRepository'),
    isReplaced = false,
    commit,
  }: { name?: CodedText; isReplaced?: boolean; commit?: string } = {},
): Promise<void> {
  const into = typeof repository === 'string' ? { folder: repository } : repository;
  const ref = `refs/heads/${branch}`;
  const alone = ['--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'];
  const refspec = `${isReplaced ? '+' : ''}${ref}:${ref}`;
  const args = ['fetch', ...alone, '--upload-pack=git-upload-pack', '--', hostGit, refspec];
  try {
    await git.run(await disableRepositoryPrograms(git, into), args);
  } catch (error) {
    throw branchConflict(error) ?? whyNotPublished(branch, name, error);
  }
  const [wanted, got] = await Promise.all([
    commit ?? git.run({ folder: hostGit, gitDir: hostGit }, ['rev-parse', '--verify', ref]),
    git.run(into, ['rev-parse', '--verify', ref]),
  ]);
  if (wanted.trim() !== got.trim()) {
    throw new TurnFailure(coded('branchNotBrought', { branch, repository: name }));
  }
}

function whyNotPublished(branch: string, repository: CodedText, error: unknown): TurnFailure {
  const words = error instanceof GitError ? error.message : String(error);
  if (words.includes('refusing to fetch into')) {
    return new TurnFailure(coded('branchCheckedOut', { branch, repository }));
  }
  if (/non-fast-forward|rejected/.test(words)) {
    return new HostHasMore(coded('branchHasMore', { branch, repository }));
  }
  return new TurnFailure(coded('branchNotBroughtSaying', { branch, repository, words }));
}

/**
 * Publishes the branch to a repository on this machine. It is fetched into that repository by a git that runs no other
 * program, because a push would run the hooks and the configuration of a folder that may have come with the repository
 * itself. Throws TurnFailure.
 */
export async function pushToFolder(git: Git, folder: string, hostGit: string, branch: string): Promise<void> {
  const gitDir = await gitDirectoryOf(git, folder);
  if (gitDir === undefined) {
    throw new TurnFailure(coded('remoteNoRepository', { folder }));
  }
  await publishBranch(git, { folder: gitDir, gitDir }, hostGit, branch, { name: coded('theRemote', { folder }) });
}

/** Looks where git would, in the same order (git-fetch(1), `enter_repo`). */
export async function gitDirectoryOf(git: Git, folder: string): Promise<string | undefined> {
  for (const candidate of [join(folder, '.git'), folder, join(`${folder}.git`, '.git'), `${folder}.git`]) {
    try {
      const found = await git.run({ folder: '/', gitDir: candidate }, ['rev-parse', '--absolute-git-dir']);
      return found.replace(/\r?\n$/, '');
    } catch {
      // Not this one.
    }
  }
  return undefined;
}
