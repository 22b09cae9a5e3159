import * as vscode from 'vscode';
import { type ChangeRepository, GitError } from '../../../../git/git';
import type { GitChange, GitRepository } from '../../../platform/gitExtension';
import type { Repositories } from '../../../platform/repositories';
import { toLabel, toPickLabel } from '../../../platform/sanitize';
import { pickCommits } from './commitPicker';

export type ChangeKind = 'workingTree' | 'staged' | 'branch' | 'commit';

/** Which change the user wants. */
export type WantedChange =
  | { kind: 'workingTree' | 'staged' }
  /** @property base a branch or commit; undefined for the default base branch */
  | { kind: 'branch'; base?: string }
  /** @property first the first commit of a range, which ends with `ref` */
  | { kind: 'commit'; ref: string; first?: string };

/** A change in terms of git arguments. */
export interface ChangeSource {
  kind: ChangeKind;
  /** Arguments for `git diff`, by commit id. */
  args: string[];
  /** Whether untracked files belong to the change. */
  withUntracked: boolean;
  /** The commit to compare with; undefined when there is none yet. */
  base: string | undefined;
  /** The last commit of the change; undefined for uncommitted changes. */
  head: string | undefined;
  /** The name of the branch that was compared with. */
  baseName?: string;
  isMerge?: true;
}

/** Why the change does not exist; the caller provides the message. */
export type NoChange =
  | { why: 'no base' }
  | { why: 'nothing in common'; base: string }
  | { why: 'no commit'; ref: string };

export class NoChangeError extends Error {
  constructor(readonly reason: NoChange) {
    super(reason.why);
  }
}

/** Resolves the commits that delimit the change. Throws GitError, and NoChangeError when they don't exist. */
export async function findSource(repository: ChangeRepository, wanted: WantedChange): Promise<ChangeSource> {
  switch (wanted.kind) {
    case 'workingTree':
    case 'staged': {
      const base = await resolveCommit(repository, 'HEAD');
      const args = wanted.kind === 'staged' ? ['--cached'] : [base ?? (await emptyTree(repository))];
      const withUntracked = wanted.kind === 'workingTree';
      return { kind: wanted.kind, args, withUntracked, base, head: undefined };
    }
    case 'branch':
      return branchSource(repository, wanted.base);
    case 'commit':
      return commitSource(repository, wanted.ref, wanted.first);
  }
}

/** Returns the id of a commit; undefined when no commit has this name. */
export async function resolveCommit({ git, place }: ChangeRepository, ref: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  try {
    return (await git.run(place, args)).trim();
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return undefined;
    }
    throw error;
  }
}

/** The default base branch, without `refs/`: as the remote names it, else by the usual names. */
export async function defaultBase({ git, place }: ChangeRepository): Promise<string | undefined> {
  const branch = (await git.run(place, ['branch', '--show-current'])).trim();
  const [named, configured] = await Promise.all([
    git.configured(place.folder, `branch.${branch}.remote`),
    git.configured(place.folder, 'init.defaultBranch'),
  ]);
  const names = [...new Set([configured, 'main', 'master'])].filter((name) => name !== undefined);
  const remotes = [...new Set([named, 'upstream', 'origin'])].filter((name) => name !== undefined && name !== '.');
  const candidates = [
    ...remotes.map((remote) => `refs/remotes/${remote ?? ''}/HEAD`),
    ...remotes.flatMap((remote) => names.map((name) => `refs/remotes/${remote ?? ''}/${name}`)),
    ...names.filter((name) => name !== branch).map((name) => `refs/heads/${name}`),
  ];
  const args = ['for-each-ref', '--format=%(refname)%00%(symref)', '--', ...candidates];
  const found = new Map(
    (await git.run(place, args)).split('\n').map((line) => {
      const [name = '', target = ''] = line.split('\0');
      return [name, target === '' ? name : target] as const;
    }),
  );
  const best = candidates.find((candidate) => found.has(candidate));
  return best && found.get(best)?.replace(/^refs\/(heads|remotes)\//, '');
}

async function branchSource(repository: ChangeRepository, wanted?: string): Promise<ChangeSource> {
  const baseName = wanted ?? (await defaultBase(repository));
  const [head, base] = await Promise.all([
    resolveCommit(repository, 'HEAD'),
    baseName === undefined ? undefined : resolveCommit(repository, baseName),
  ]);
  if (head === undefined || base === undefined || baseName === undefined) {
    throw new NoChangeError({ why: 'no base' });
  }
  const fork = await repository.git.run(repository.place, ['merge-base', base, head]).catch(() => undefined);
  if (fork === undefined) {
    throw new NoChangeError({ why: 'nothing in common', base: baseName });
  }
  return { kind: 'branch', args: [fork.trim(), head], withUntracked: false, base: fork.trim(), head, baseName };
}

async function commitSource(repository: ChangeRepository, ref: string, first = ref): Promise<ChangeSource> {
  const [head, start] = await Promise.all([resolveCommit(repository, ref), resolveCommit(repository, first)]);
  if (head === undefined || start === undefined) {
    throw new NoChangeError({ why: 'no commit', ref: head === undefined ? ref : first });
  }
  const [base, second] = await Promise.all([
    resolveCommit(repository, `${start}^1`),
    resolveCommit(repository, `${start}^2`),
  ]);
  const merge = head === start && second !== undefined ? { isMerge: true as const } : {};
  const args = [base ?? (await emptyTree(repository)), head];
  return { kind: 'commit', args, withUntracked: false, base, head, ...merge };
}

/** The id of the empty tree, which need not exist in the repository. */
async function emptyTree({ git, place }: ChangeRepository): Promise<string> {
  return (await git.run(place, ['hash-object', '-t', 'tree', '--stdin'], { input: '' })).trim();
}

interface Row extends vscode.QuickPickItem {
  choose: () => WantedChange | undefined | Promise<WantedChange | undefined>;
}

/** Asks which change of a repository is meant; undefined when the user cancelled. */
export async function pickChange(
  repositories: Repositories,
  repository: GitRepository,
): Promise<WantedChange | undefined> {
  const opened = await repositories.open(repository, new AbortController().signal);
  const base = await defaultBase(opened);
  const rows = [...uncommittedRows(repository), ...(await branchRows(opened, repository, base))];
  rows.push({
    label: `$(git-commit) ${vscode.l10n.t('Commit or range…')}`,
    choose: () => pickCommits(repository),
  });
  const row = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Select changes') });
  return row?.choose();
}

/** The uncommitted changes, as the Git extension counts them. */
function uncommittedRows({ state }: GitRepository): Row[] {
  const files = (...lists: (readonly GitChange[])[]): string => {
    const paths = new Set(lists.flat().map(({ uri }) => uri.toString()));
    return paths.size === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', paths.size);
  };
  const { workingTreeChanges, indexChanges, mergeChanges, untrackedChanges } = state;
  return [
    {
      label: `$(diff) ${vscode.l10n.t('Working tree')}`,
      description: files(workingTreeChanges, indexChanges, mergeChanges, untrackedChanges),
      choose: () => ({ kind: 'workingTree' }),
    },
    {
      label: `$(diff-added) ${vscode.l10n.t('Staged changes')}`,
      description: files(indexChanges),
      choose: () => ({ kind: 'staged' }),
    },
  ];
}

async function branchRows(opened: ChangeRepository, { state }: GitRepository, base?: string): Promise<Row[]> {
  const name = toLabel(state.HEAD?.name ?? vscode.l10n.t('the current checkout'), 40);
  const other: Row = {
    label: `$(git-branch) ${vscode.l10n.t('Compare with another branch…')}`,
    choose: () => pickBase(opened),
  };
  if (base === undefined) {
    return [other];
  }
  const commits = await commitsSince(opened, base);
  const row: Row = {
    label: `$(git-branch) ${toPickLabel(vscode.l10n.t('{0} compared with {1}', name, toLabel(base, 40)))}`,
    description: commits === 1 ? vscode.l10n.t('1 commit') : vscode.l10n.t('{0} commits', commits),
    choose: () => ({ kind: 'branch', base }),
  };
  return [row, other];
}

async function commitsSince(opened: ChangeRepository, base: string): Promise<number> {
  const [from, head] = await Promise.all([resolveCommit(opened, base), resolveCommit(opened, 'HEAD')]);
  if (from === undefined || head === undefined) {
    return 0;
  }
  return Number((await opened.git.run(opened.place, ['rev-list', '--count', head, `^${from}`, '--'])).trim());
}

/** Maximum number of branches and tags to choose from. */
const MAX_REFS = 2_000;

async function pickBase({ git, place }: ChangeRepository): Promise<WantedChange | undefined> {
  const args = [
    'for-each-ref',
    '--sort=-committerdate',
    `--count=${MAX_REFS}`,
    '--format=%(refname)',
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  ];
  const refs = (await git.run(place, args)).split('\n').filter((ref) => ref !== '' && !ref.endsWith('/HEAD'));
  const items = refs.map((ref) => ({ label: toPickLabel(ref.replace(/^refs\/(heads|remotes|tags)\//, '')), ref }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Select a branch to compare with'),
  });
  return picked && { kind: 'branch', base: picked.ref.replace(/^refs\/(heads|remotes)\//, '') };
}
