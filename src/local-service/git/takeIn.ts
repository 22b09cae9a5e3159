import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { move } from '../../base/files';
import { type Git, GitError, type GitPlace, type RunGit } from '../../git/git';
import { disableRepositoryPrograms } from '../../git/repositorySettings';
import { type JobFolders, hostPlace, makeWorkClone } from './jobClone';
import { commitsElsewhere } from './leftOutWork';
import { makeCommit } from './jobBranch';
import { stageWork } from './stageWork';

/** Commits that a job's work has to have: others' commits on its branch, or the present ones of its base. */
export interface Incoming {
  from: 'branch' | 'base';
  /** The name of the branch that they are on. */
  name: string;
  commit: string;
}

/** Where the next commit of a job goes, and what it has to have. */
export interface Start {
  /** The job's branch: a new one, or the one that it has. */
  branch: string;
  /** The work since `from` moves onto another commit. Without it, the branch goes on from its tip. */
  move?: { from: string; onto: string };
  /** Merged then, in this order, unless the branch has it. */
  incoming: readonly Incoming[];
}

/** What a job's work has got. */
export interface TakenIn {
  /** The new tip of the branch. */
  head: string;
  merged: readonly Incoming[];
  /** What conflicts with the work, and the files with conflict markers. */
  conflict?: { incoming: Incoming | undefined; paths: string[] };
}

interface Clone {
  git: Git;
  folders: JobFolders;
  /** The folder of the user's repository. */
  repository: string;
  /** The job's branch. */
  branch: string;
  /** Commits a merge in the user's name, as the repository wants its commits. */
  commitMerge: (run: RunGit, merge: { tree: string; parents: string[]; subject: string }) => Promise<string>;
}

/** Commits whose merge was started with markers in the work folder, and which the next commit gets as parents. */
const MERGING = 'refs/docs-agent/merging';

/**
 * Brings others' commits into the job's branch and, with what the agent has not committed, into its work folder. Where
 * they conflict, the files get conflict markers, and the branch gets the merge with the next commit. Throws TurnFailure
 * for work that can't be committed, and GitError.
 *
 * @param mayConflict whether to start a merge that conflicts; otherwise nothing is changed then
 */
export async function takeIn(clone: Clone, start: Start, mayConflict = true): Promise<TakenIn> {
  const { git, folders, repository, branch } = clone;
  const place = await disableRepositoryPrograms(git, hostPlace(folders));
  const run: RunGit = (args, options) => git.run(place, args, options);
  const tip = await idOf(run, `refs/heads/${branch}`);
  const staged = await stageWork(git, folders, repository, tip);
  const moved =
    start.move === undefined ? { head: tip, work: staged, merged: [] } : await moveTo(run, start.move, staged);
  const result = moved.conflict === undefined ? await mergeAll(clone, run, moved, start.incoming) : moved;
  const { head, work, conflict } = result;
  if (conflict !== undefined && !mayConflict) {
    return result;
  }
  // The files first: if this is interrupted, what is in the files is merged again, which changes nothing.
  if (work !== staged) {
    await run(['read-tree', '-m', '-u', staged, work]);
  }
  // Also for a conflict with the work that isn't committed: the next commit must be searched for markers.
  const started = conflict === undefined ? undefined : (conflict.incoming ?? { from: 'branch', commit: head });
  const updates = [
    `update refs/heads/${start.branch} ${head}`,
    ...(started === undefined ? [] : [`update ${MERGING}/${started.from} ${started.commit}`]),
  ];
  await run(['update-ref', '--stdin'], { input: `${updates.join('\n')}\n` });
  if (start.branch !== branch) {
    await run(['symbolic-ref', 'HEAD', `refs/heads/${start.branch}`]);
  }
  if (head !== tip || started !== undefined) {
    const base = start.incoming.find(({ from }) => from === 'base');
    await renewAgentGit(git, folders, start.branch, base);
  }
  return result;
}

interface Merged extends TakenIn {
  /** The tree that the work folder gets. */
  work: string;
}

async function mergeAll(
  clone: Clone,
  run: RunGit,
  from: Pick<Merged, 'head' | 'work'>,
  incoming: readonly Incoming[],
): Promise<Merged> {
  let { head, work } = from;
  const merged: Incoming[] = [];
  const started = await mergingCommits(run);
  for (const each of incoming) {
    if (started.some(({ commit }) => commit === each.commit) || (await isAncestor(run, each.commit, head))) {
      continue;
    }
    const before = head;
    const isClean = work === (await treeOf(run, before));
    if (await isAncestor(run, head, each.commit)) {
      head = each.commit;
    } else {
      const both = await mergeTree(run, head, each.commit);
      if (both.conflicts.length > 0) {
        const mine = isClean ? head : await standIn(run, work, head);
        const shown = isClean ? both : await mergeTree(run, mine, each.commit);
        return { head, work: shown.tree, merged, conflict: { incoming: each, paths: shown.conflicts } };
      }
      const subject =
        each.from === 'base'
          ? `Merge branch '${each.name}' into ${clone.branch}`
          : `Merge others’ commits on ${clone.branch}`;
      head = await clone.commitMerge(run, { tree: both.tree, parents: [head, each.commit], subject });
    }
    merged.push(each);
    if (isClean) {
      work = await treeOf(run, head);
    } else {
      const { tree, conflicts } = await mergeTree(run, await standIn(run, work, before), head);
      work = tree;
      if (conflicts.length > 0) {
        return { head, work, merged, conflict: { incoming: undefined, paths: conflicts } };
      }
    }
  }
  return { head, work, merged };
}

/** Moves the work that is not in `from` to the base. */
async function moveTo(run: RunGit, { from, onto }: NonNullable<Start['move']>, staged: string): Promise<Merged> {
  const [before, after] = [await treeOf(run, from), await treeOf(run, onto)];
  if (before === after || staged === before) {
    return { head: onto, work: staged === before ? after : staged, merged: [] };
  }
  const root = await standIn(run, before);
  const [mine, theirs] = [await standIn(run, staged, root), await standIn(run, after, root)];
  const { tree, conflicts } = await mergeTree(run, mine, theirs);
  return {
    head: onto,
    work: tree,
    merged: [],
    ...(conflicts.length > 0 && { conflict: { incoming: undefined, paths: conflicts } }),
  };
}

/**
 * What the next commit has to have as parents besides the tip of the branch. Throws GitError.
 *
 * @param place the service's own git directory
 */
export async function startedMerges(git: Git, place: GitPlace): Promise<Pick<Incoming, 'from' | 'commit'>[]> {
  return mergingCommits((args) => git.run(place, args));
}

async function mergingCommits(run: RunGit): Promise<Pick<Incoming, 'from' | 'commit'>[]> {
  const listed = await run(['for-each-ref', '--format=%(refname:lstrip=3) %(objectname)', MERGING]);
  return listed.split('\n').flatMap((line) => {
    const [from, commit = ''] = line.split(' ');
    return from === 'branch' || from === 'base' ? [{ from, commit }] : [];
  });
}

/** Forgets merges that were committed. */
export async function endMerges(
  git: Git,
  place: GitPlace,
  merges: readonly Pick<Incoming, 'from' | 'commit'>[],
): Promise<void> {
  const input = merges.map(({ from, commit }) => `delete ${MERGING}/${from} ${commit}\n`).join('');
  if (input === '') {
    return;
  }
  await git.run(place, ['update-ref', '--stdin'], { input });
}

/** Files in a tree with lines that are conflict markers, which none of the commits has. Throws GitError. */
export async function findMarkers(
  git: Git,
  place: GitPlace,
  tree: string,
  commits: readonly string[],
): Promise<string[]> {
  const marked = (of: string) =>
    // Exit code 1: none.
    git
      .run(place, ['grep', '-l', '-z', '-I', '-E', '^(<<<<<<<|>>>>>>>) ', of, '--'])
      .catch((error: unknown) => {
        if (error instanceof GitError && error.exitCode === 1) {
          return '';
        }
        throw error;
      })
      .then((printed) => splitPaths(printed).map((path) => path.slice(path.indexOf(':') + 1)));
  const found = await marked(tree);
  const known = found.length === 0 ? [] : (await Promise.all(commits.map(marked))).flat();
  return found.filter((path) => !known.includes(path));
}

/** Files that conflict, but without markers, such as images, and are as git left them. Throws GitError. */
export async function findUndecided(
  git: Git,
  place: GitPlace,
  { tree, parent, merged }: { tree: string; parent: string; merged: readonly string[] },
): Promise<string[]> {
  const run: RunGit = (args, options) => git.run(place, args, options);
  const found: string[] = [];
  for (const commit of merged) {
    const both = await mergeTree(run, parent, commit);
    const changed = splitPaths(await run(['diff-tree', '-r', '-z', '--name-only', both.tree, tree]));
    found.push(...both.conflicts.filter((path) => !changed.includes(path)));
  }
  return found;
}

/** The commit that the agent's clone has as its base branch tells the agent what it conflicts with. */
async function renewAgentGit(git: Git, folders: JobFolders, branch: string, base: Incoming | undefined): Promise<void> {
  const directory = join(folders.work, '..');
  const own = join(folders.work, '.git');
  const kept = await commitsElsewhere(git, folders);
  const fresh = join(directory, 'agent.git.new');
  await makeWorkClone(git, { ...folders, work: fresh }, branch, { isCheckedOut: false });
  if (base !== undefined && base.name !== branch) {
    await git.run({ folder: fresh }, ['update-ref', `refs/heads/${base.name}`, base.commit]).catch(() => undefined);
  }
  if (kept === undefined) {
    await rm(own, { recursive: true, force: true, maxRetries: 3 });
  } else {
    // The note on the job says that they are in its folder.
    await move(own, join(directory, `agent-${Date.now()}.git`));
  }
  await move(join(fresh, '.git'), own);
  await rm(fresh, { recursive: true, force: true, maxRetries: 3 });
}

/** A commit that only serves for a comparison. */
export async function standIn(run: RunGit, tree: string, parent?: string): Promise<string> {
  const author = { name: 'Docs Agent', email: 'docs-agent@localhost' };
  const parents = parent === undefined ? [] : [parent];
  return (await makeCommit(run, { tree, parents, message: 'Stand-in\n', author })).id;
}

/** A merge of two commits: its tree, with conflict markers in the files that conflict. Throws GitError. */
export async function mergeTree(
  run: RunGit,
  ours: string,
  theirs: string,
): Promise<{ tree: string; conflicts: string[] }> {
  const args = [
    // A page that one side adds to a folder moves along if the other side renames that folder.
    ...['-c', 'merge.directoryRenames=true'],
    'merge-tree',
    '--write-tree',
    '--allow-unrelated-histories',
    '-z',
    '--name-only',
    '--no-messages',
    ours,
    theirs,
  ];
  const printed = await run(args).catch((error: unknown) => {
    if (error instanceof GitError && error.exitCode === 1) {
      return error.output;
    }
    throw error;
  });
  const [tree = '', ...conflicts] = splitPaths(printed);
  return { tree, conflicts: [...new Set(conflicts)] };
}

/** What git prints with `-z`. */
export function splitPaths(printed: string): string[] {
  return printed.split('\0').filter((part) => part !== '');
}

async function idOf(run: RunGit, name: string): Promise<string> {
  return (await run(['rev-parse', '--verify', name])).trim();
}

export function treeOf(run: RunGit, commitId: string): Promise<string> {
  return idOf(run, `${commitId}^{tree}`);
}

/** Whether `descendant` is the same commit as `ancestor` or descends from it. */
export async function isAncestor(run: RunGit, ancestor: string, descendant: string): Promise<boolean> {
  if (ancestor === descendant) {
    return true;
  }
  return run(['merge-base', '--is-ancestor', ancestor, descendant]).then(
    () => true,
    (error: unknown) => {
      // Exit code 1 means no, 128 that one of the commits is missing.
      if (error instanceof GitError && error.exitCode !== undefined) {
        return false;
      }
      throw error;
    },
  );
}
