import * as vscode from 'vscode';
import { type Grouping, GROUPINGS, JOB_GROUPS, type Sorting, SORTINGS } from '../../../jobs/jobGroups';
import type { JobEngine } from '../../../jobs/jobEngine';
import type { JobStore } from '../../../jobs/jobStore';
import { isListed } from '../../../jobs/trackedJob';
import { readArrangement, readFilter, readSection } from '../../platform/commandArguments';
import type { PullRequestStates } from '../../platform/pullRequestStates';
import { WHOLE_LIST } from './jobList';
import type { JobsTree } from './jobsTree';
import type { ListState } from './listState';
import { stateText } from './sectionItem';

export interface ListActionOptions {
  list: ListState;
  tree: JobsTree;
  store: JobStore;
}

/** Groups or sorts the list as the argument says, or else as the user picks. */
export async function arrangeJobs({ list }: ListActionOptions, argument: unknown): Promise<void> {
  const given = readArrangement(argument);
  if (given !== undefined) {
    list.change(given);
    return;
  }
  const { groupBy, sortBy } = list.options;
  const groups: Record<Grouping, string> = {
    state: vscode.l10n.t('By status'),
    project: vscode.l10n.t('By project'),
    day: vscode.l10n.t('By day'),
  };
  const sorts: Record<Sorting, string> = {
    sent: vscode.l10n.t('Newest first'),
    changed: vscode.l10n.t('Recently updated'),
    title: vscode.l10n.t('Name'),
  };
  const now = (isNow: boolean): string => (isNow ? vscode.l10n.t('current') : '');
  const kind = vscode.QuickPickItemKind.Separator;
  const rows = [
    { label: vscode.l10n.t('Group jobs'), kind },
    ...GROUPINGS.map((by) => ({ label: groups[by], description: now(by === groupBy), change: { groupBy: by } })),
    { label: vscode.l10n.t('Sort jobs'), kind },
    ...SORTINGS.map((by) => ({ label: sorts[by], description: now(by === sortBy), change: { sortBy: by } })),
  ];
  const picked = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Group and sort jobs') });
  if (picked !== undefined && 'change' in picked) {
    list.change(picked.change);
  }
}

/** Filters the list while the user types; Escape restores the previous filter. */
export async function filterJobs({ list }: ListActionOptions, argument: unknown): Promise<void> {
  const given = readFilter(argument);
  if (given !== undefined) {
    list.change({ text: given.text ?? '', states: given.states ?? [] });
    return;
  }
  const before = list.options;
  const box = vscode.window.createInputBox();
  const states: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('list-filter'),
    tooltip: vscode.l10n.t('Filter by Status'),
  };
  box.title = vscode.l10n.t('Filter jobs');
  box.placeholder = vscode.l10n.t('Filter by prompt, name, project, branch, or link');
  box.prompt = vscode.l10n.t('Press Enter to apply or Escape to cancel.');
  box.value = before.text;
  box.buttons = [states];
  const end = await new Promise<'kept' | 'closed' | 'states'>((resolve) => {
    box.onDidChangeValue((text) => list.change({ text }));
    box.onDidAccept(() => resolve('kept'));
    box.onDidHide(() => resolve('closed'));
    box.onDidTriggerButton(() => resolve('states'));
    box.show();
  });
  box.dispose();
  if (end === 'closed') {
    list.change(before);
  } else if (end === 'states') {
    await chooseStates(list);
  }
}

export function clearFilter({ list }: ListActionOptions): void {
  list.change({ text: WHOLE_LIST.text, states: WHOLE_LIST.states, hideMerged: WHOLE_LIST.hideMerged });
}

export function toggleRemovedJobs({ list }: ListActionOptions): void {
  list.change({ removed: !list.options.removed });
}

export function toggleMergedJobs({ list }: ListActionOptions): void {
  list.change({ hideMerged: !list.options.hideMerged });
}

export function showMoreJobs({ tree }: ListActionOptions, argument: unknown): void {
  const section = readSection(argument);
  if (section !== undefined) {
    tree.showMore(section.section);
  }
}

export async function markAllSeen({ store }: ListActionOptions): Promise<void> {
  const unseen = store.jobs.filter((job) => job.unseen && isListed(job));
  await Promise.all(unseen.map(({ key }) => store.append(key, { type: 'seen', at: Date.now() })));
}

async function chooseStates(list: ListState): Promise<void> {
  const items = JOB_GROUPS.map((state) => ({
    label: stateText(state),
    picked: list.options.states.includes(state),
    state,
  }));
  const title = vscode.l10n.t('Filter by status');
  const chosen = await vscode.window.showQuickPick(items, { title, canPickMany: true });
  if (chosen !== undefined) {
    const states = chosen.map(({ state }) => state);
    list.change({ states: states.length === JOB_GROUPS.length ? [] : states });
  }
}

export interface RefreshJobsOptions {
  engine: Pick<JobEngine, 'store' | 'lookNow'>;
  tree: JobsTree;
  pulls: Pick<PullRequestStates, 'look'>;
}

/**
 * Reads changes by other windows, polls all running jobs now, queries the review state of ended local jobs, and
 * refreshes all ages.
 */
export async function refreshJobs({ engine, tree, pulls }: RefreshJobsOptions): Promise<void> {
  pulls.look();
  await engine.store.load();
  await engine.lookNow();
  tree.refresh();
}
