import { type Git, GitError } from '../../git/git';
import { coded } from '../../protocol/codedText';
import { squashMessage } from '../git/commitMessage';
import type { MergeOptions } from './merge';
import { BYTES, DIFF, formatPaths, joinPaths, parseAttributes, splitPaths } from './mergePaths';
import { findMergeTarget, isAncestor, type MergeBase, MergeRefusal, type MergeTarget } from './mergeTarget';

/**
 * Returns the newest commit of a job that the target branch has as part of a squashed one; undefined if there is none.
 * Read from the branch's own history, so that it follows when the user resets the branch.
 */
export async function findSquashed(
  { run, head }: Pick<MergeTarget, 'run' | 'head'>,
  base: MergeBase,
  jobId: string,
): Promise<string | undefined> {
  const ofJob = squashesOf(jobId);
  const format = '--format=%(trailers:key=Docs-Agent-Commit,valueonly)';
  const printed = await run(['rev-list', '--max-count=1', format, ...ofJob, `${base.commit}..${head}`, '--']);
  return /^[0-9a-f]{40,64}$/m.exec(printed)?.[0];
}

/** Options of `git rev-list` that select the commits that merges of a job have created. */
export function squashesOf(jobId: string, commit = ''): string[] {
  const trailers = [`^Docs-Agent-Job: ${jobId}$`, `^Docs-Agent-Commit: ${commit}`];
  return ['--basic-regexp', '--all-match', ...trailers.map((trailer) => `--grep=${trailer}`)];
}

/**
 * Returns the commit to compare a job's work with, so that nothing is shown again that the user's branch has already:
 * the newest commit of the job that was merged, otherwise the one that the work started from. When all of it is merged,
 * everything is shown.
 *
 * @param folder the user's work tree
 */
export async function findShownBase(
  git: Git,
  folder: string,
  { id, branch, base, commit }: { id: string; branch: string; base: MergeBase; commit: string },
): Promise<string> {
  try {
    const target = await findMergeTarget(git, folder, base, branch);
    const squashed = await findSquashed(target, base, id);
    const merged = squashed ?? (await target.run(['merge-base', target.head, commit])).trim();
    return merged !== commit && (await isAncestor(target.run, merged, commit)) ? merged : base.commit;
  } catch (error) {
    // Without a branch to merge into, there is no way to tell what is merged.
    if (error instanceof MergeRefusal || error instanceof GitError) {
      return base.commit;
    }
    throw error;
  }
}

/**
 * Creates the one commit that the branch gets, without touching the work tree. Returns its id, or undefined if the
 * branch has all of the work already.
 *
 * @param squashed the newest commit of the job that is merged already
 */
export async function squash(
  target: MergeTarget,
  options: MergeOptions,
  squashed: string | undefined,
): Promise<string | undefined> {
  const { run, head } = target;
  const tree = await mergedTree(target, options, squashed);
  if (tree === (await treeOf(run, head))) {
    return undefined;
  }
  const input = squashMessage(await options.describe(squashed !== undefined), options.jobId, options.commit);
  return commitTree(target, options, tree, head, input);
}

/** Returns the tree that the target branch gets. Throws MergeRefusal. */
export async function mergedTree(
  target: Pick<MergeTarget, 'run' | 'head'>,
  options: Pick<MergeOptions, 'author' | 'branch' | 'commit'>,
  squashed: string | undefined,
): Promise<string> {
  const { run, head } = target;
  const { commit } = options;
  if (await isAncestor(run, head, commit)) {
    return treeOf(run, commit);
  }
  let sides = [head, commit];
  if (squashed !== undefined && !(await isAncestor(run, squashed, head)) && (await isAncestor(run, squashed, commit))) {
    // For git, the branch and the work have nothing in common since the job began, and whatever was merged before would
    // conflict with itself. Stand-ins make it compare both sides with the state that was merged last.
    const root = await commitTree(target, options, await treeOf(run, squashed));
    const standIn = async (side: string) => commitTree(target, options, await treeOf(run, side), root);
    sides = await Promise.all(sides.map(standIn));
  }
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides];
  const printed = await run(args, BYTES).catch(async (error: unknown) => {
    throw error instanceof GitError ? await whyNotMerged(error, target, options) : error;
  });
  return printed.split('\0', 1)[0] ?? '';
}

export async function treeOf(run: MergeTarget['run'], commit: string): Promise<string> {
  return (await run(['rev-parse', '--verify', `${commit}^{tree}`])).trim();
}

export async function commitTree(
  { run }: Pick<MergeTarget, 'run'>,
  options: Pick<MergeOptions, 'author'>,
  tree: string,
  parent?: string,
  input = 'Stand-in\n',
): Promise<string> {
  const { name, email } = options.author;
  const environment = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, ...committer(options.author) };
  const parents = parent === undefined ? [] : ['-p', parent];
  return (await run(['commit-tree', tree, ...parents, '-F', '-'], { input, environment })).trim();
}

async function whyNotMerged(
  error: GitError,
  target: Pick<MergeTarget, 'run' | 'head'>,
  options: Pick<MergeOptions, 'branch' | 'commit'>,
): Promise<MergeRefusal> {
  const { branch, commit } = options;
  if (error.exitCode === 129) {
    return new MergeRefusal(coded('gitTooOld', { branch }));
  }
  const isConflict = error.exitCode === 1;
  const files = isConflict ? [...new Set(splitPaths(error.output).slice(1))] : await changedByBoth(target, commit);
  // The exit code for a driver that can't be started depends on git's version.
  const driven = await findMergeDriverFiles(files, target.run);
  if (driven.length > 0) {
    return new MergeRefusal(coded('mergeDriver', { paths: formatPaths(driven) }));
  }
  if (!isConflict) {
    return new MergeRefusal(coded('notMergedCommand', { words: error.message, branch }));
  }
  return new MergeRefusal(
    files.length === 0 ? coded('conflicts', { branch }) : coded('conflictsIn', { paths: formatPaths(files), branch }),
  );
}

async function changedByBoth({ run, head }: Pick<MergeTarget, 'run' | 'head'>, commit: string): Promise<string[]> {
  const mine = splitPaths(await run([...DIFF, `${commit}...${head}`, '--'], BYTES));
  const theirs = new Set(splitPaths(await run([...DIFF, `${head}...${commit}`, '--'], BYTES)));
  return mine.filter((path) => theirs.has(path));
}

/** Returns the files whose merge driver is configured by the repository. */
async function findMergeDriverFiles(paths: readonly string[], run: MergeTarget['run']): Promise<string[]> {
  const configured = (key: string): Promise<string | undefined> =>
    run(['config', '--get', key]).then(
      (value) => value.trim(),
      () => undefined,
    );
  const fallback = await configured('merge.default');
  const input = { input: joinPaths(paths), ...BYTES };
  const attributes = parseAttributes(await run(['check-attr', '-z', '--stdin', 'merge'], input));
  const driven: string[] = [];
  for (const { path, value } of attributes) {
    const driver = value === 'unspecified' ? fallback : value;
    if (driver !== undefined && (await configured(`merge.${driver}.driver`)) !== undefined) {
      driven.push(path);
    }
  }
  return driven;
}

export function committer({ name, email }: MergeOptions['author']): Record<string, string> {
  return { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** What the reflog says about a merge of the job's branch. */
export function mergeReason(branch: string): string {
  return `merge ${branch}`;
}
