import * as vscode from 'vscode';
import type { GitChange, GitRepository } from '../../services/gitExtension';
import type { Repositories } from '../../services/repositories';
import { toLabel, toPickLabel } from '../../text';
import type { ChangeRepository } from '../../../git/git';
import { commitOf, defaultBase, type WantedChange } from './changeSource';
import { pickCommits } from './commitPicker';

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
  const row = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Which changes?') });
  return row?.choose();
}

/** What stands in the way of a clean work tree, as the Git extension counts it. */
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
  const name = toLabel(state.HEAD?.name ?? vscode.l10n.t('what is checked out'), 40);
  const other: Row = {
    label: `$(git-branch) ${vscode.l10n.t('Branch against another one…')}`,
    choose: () => pickBase(opened),
  };
  if (base === undefined) {
    return [other];
  }
  const commits = await commitsSince(opened, base);
  const row: Row = {
    label: `$(git-branch) ${toPickLabel(vscode.l10n.t('{0} against {1}', name, toLabel(base, 40)))}`,
    description: commits === 1 ? vscode.l10n.t('1 commit') : vscode.l10n.t('{0} commits', commits),
    choose: () => ({ kind: 'branch', base }),
  };
  return [row, other];
}

async function commitsSince(opened: ChangeRepository, base: string): Promise<number> {
  const [from, head] = await Promise.all([commitOf(opened, base), commitOf(opened, 'HEAD')]);
  if (from === undefined || head === undefined) {
    return 0;
  }
  return Number((await opened.git.run(opened.place, ['rev-list', '--count', head, `^${from}`, '--'])).trim());
}

async function pickBase({ git, place }: ChangeRepository): Promise<WantedChange | undefined> {
  const args = [
    'for-each-ref',
    '--sort=-committerdate',
    '--format=%(refname)',
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  ];
  const refs = (await git.run(place, args)).split('\n').filter((ref) => ref !== '' && !ref.endsWith('/HEAD'));
  const items = refs.map((ref) => ({ label: toPickLabel(ref.replace(/^refs\/(heads|remotes|tags)\//, '')), ref }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Compare this branch with which one?'),
  });
  return picked && { kind: 'branch', base: picked.ref.replace(/^refs\/(heads|remotes)\//, '') };
}
