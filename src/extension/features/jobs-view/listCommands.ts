import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { JobStore } from '../../../jobs/jobStore';
import { isListed, type TrackedJob } from '../../../jobs/trackedJob';
import type { App } from '../../app';
import { reader } from '../../platform/commandArguments';
import { toPickLabel } from '../../platform/sanitize';
import { isFiltered, type ListOptions, SHOW_ALL, type Sorting, SORTINGS } from './jobList';

const readViewOptions = reader(
  z
    .object({
      sortBy: z.optional(z.enum(SORTINGS)),
      hideMerged: z.optional(z.boolean()),
      removed: z.optional(z.boolean()),
      otherProjects: z.optional(z.boolean()),
    })
    // Menus pass objects of the editor.
    .check(z.refine((value) => Object.keys(value).length > 0)),
);
/** An object without a text clears the filter. */
const readFilter = reader(z.object({ text: z.optional(z.string()) }));

/** A row that changes an option, or one that closes the pick and runs something. */
type ViewOptionItem = vscode.QuickPickItem & {
  change?: Partial<ListOptions>;
  run?: () => unknown;
};

/** Changes what the list shows, and how, as the argument says, otherwise as the user picks. */
export async function viewOptions(options: App, argument: unknown): Promise<void> {
  const { list } = options;
  const given = readViewOptions(argument);
  if (given !== undefined) {
    list.change(given);
    return;
  }
  const pick = vscode.window.createQuickPick<ViewOptionItem>();
  pick.title = vscode.l10n.t('Filter and view options');
  pick.placeholder = vscode.l10n.t('Select an option to change it');
  pick.items = viewOptionItems(options);
  let run: ViewOptionItem['run'];
  // Stays open, because the list behind it shows each change at once.
  pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems;
    if (chosen?.change !== undefined) {
      // Only the rows above the options come and go.
      const place = pick.items.indexOf(chosen) - pick.items.length;
      list.change(chosen.change);
      pick.items = viewOptionItems(options);
      pick.activeItems = pick.items.filter((_, index) => index - pick.items.length === place);
    } else if (chosen?.run !== undefined) {
      ({ run } = chosen);
      pick.hide();
    }
  });
  await new Promise<void>((resolve) => {
    pick.onDidHide(resolve);
    pick.show();
  });
  pick.dispose();
  await run?.();
}

function viewOptionItems(options: App): ViewOptionItem[] {
  const { sortBy, hideMerged, removed, otherProjects } = options.list.options;
  const sorts: Record<Sorting, string> = {
    sent: vscode.l10n.t('Newest first'),
    changed: vscode.l10n.t('Recently updated'),
  };
  const heading = (label: string): ViewOptionItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const option = (label: string, isOn: boolean, change: Partial<ListOptions>): ViewOptionItem => ({
    label: `${isOn ? '$(check)' : '$(blank)'} ${label}`,
    change,
  });
  return [
    ...actionItems(options),
    heading(vscode.l10n.t('Sort jobs')),
    ...SORTINGS.map((by) => option(sorts[by], by === sortBy, { sortBy: by })),
    heading(vscode.l10n.t('Show jobs')),
    option(vscode.l10n.t('Merged and closed jobs'), !hideMerged, { hideMerged: !hideMerged }),
    option(vscode.l10n.t('Jobs from other projects, not in a separate group'), otherProjects, {
      otherProjects: !otherProjects,
    }),
    option(vscode.l10n.t('Only removed jobs'), removed, { removed: !removed }),
  ];
}

/** The rows at the top: what the list shows, and what can be done with all of it. */
function actionItems(options: App): ViewOptionItem[] {
  const { list, store } = options;
  const { text, removed } = list.options;
  const unread = unreadJobs(store).length;
  const showAll: ViewOptionItem = {
    label: `$(clear-all) ${vscode.l10n.t('Show all jobs')}`,
    run: () => showAllJobs(options),
  };
  const markAll: ViewOptionItem = {
    label: `$(check-all) ${vscode.l10n.t('Mark all as read')}`,
    description: unread.toLocaleString(vscode.env.language),
    run: () => markAllSeen(options),
  };
  return [
    ...(isFiltered(list.options) || removed ? [showAll] : []),
    {
      label: `$(filter) ${vscode.l10n.t('Filter by text…')}`,
      description: toPickLabel(text.trim()),
      run: () => filterJobs(options, undefined),
    },
    ...(unread === 0 ? [] : [markAll]),
  ];
}

/** Filters the list while the user types; Escape restores the previous filter. */
export async function filterJobs({ list }: App, argument: unknown): Promise<void> {
  const given = readFilter(argument);
  if (given !== undefined) {
    list.change({ text: given.text ?? '' });
    return;
  }
  const { text: value } = list.options;
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter jobs'),
    placeHolder: vscode.l10n.t('Filter by prompt, name, project, branch, or link'),
    value,
    validateInput: (text) => {
      list.change({ text });
      return undefined;
    },
  });
  list.change({ text: typed ?? value });
}

/** Shows the whole list again: clears the filter, and leaves the removed jobs. */
export function showAllJobs({ list }: App): void {
  list.change(SHOW_ALL);
}

export async function markAllSeen({ store }: App): Promise<void> {
  await Promise.all(unreadJobs(store).map(({ key }) => store.append(key, { type: 'seen', at: Date.now() })));
}

function unreadJobs(store: JobStore): TrackedJob[] {
  return store.jobs.filter((job) => job.unseen && isListed(job));
}

/**
 * Reads changes by other windows, polls all running jobs now, queries the review state of ended local jobs, and
 * refreshes all ages.
 */
export async function refreshJobs({ engine, tree, pulls }: App): Promise<void> {
  pulls.refresh();
  await engine.store.load();
  await engine.lookNow();
  tree.refresh();
}
