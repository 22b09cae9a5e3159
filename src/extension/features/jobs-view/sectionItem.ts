import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { toLabel } from '../../platform/sanitize';
import type { JobGroup } from '../../presentation/jobStates';
import type { Heading, Section } from './jobList';

/** The row of a section: its name and its number of jobs. */
export function sectionItem({ id, heading, jobs }: Section, collapsed: boolean, now: number): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const label = headingText(heading, now);
  const item = new vscode.TreeItem(label, collapsed ? Collapsed : Expanded);
  item.id = `section:${id}`;
  item.description = jobs.length.toLocaleString(vscode.env.language);
  item.contextValue = ';section;';
  const count = jobs.length === 1 ? vscode.l10n.t('1 job') : vscode.l10n.t('{0} jobs', jobs.length);
  item.accessibilityInformation = { label: `${label}, ${count}` };
  return item;
}

export function stateText(state: JobGroup): string {
  return {
    attention: vscode.l10n.t('Needs attention'),
    running: vscode.l10n.t('In progress'),
    ready: vscode.l10n.t('Ready for review'),
    done: vscode.l10n.t('Done'),
  }[state];
}

function headingText(heading: Heading, now: number): string {
  switch (heading.by) {
    case 'pinned':
      return vscode.l10n.t('Pinned');
    case 'others':
      return vscode.l10n.t('Other projects');
    case 'removed':
      return vscode.l10n.t('Removed from the list');
    case 'state':
      return stateText(heading.state);
    case 'project': {
      const { service, projectId, projectName } = heading.home;
      const name = toLabel(projectName ?? projectId, 60);
      return service === LOCAL_SERVICE ? vscode.l10n.t('{0} (local)', name) : name;
    }
    case 'day':
      return dayText(heading.day, now);
  }
}

/** “Today”, “Yesterday”, or the date, in the editor's language. */
function dayText(day: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (day === today) {
    return vscode.l10n.t('Today');
  }
  // Subtracts 12 hours instead of 24, because a day may have only 23.
  if (day === new Date(today - 43_200_000).setHours(0, 0, 0, 0)) {
    return vscode.l10n.t('Yesterday');
  }
  return new Date(day).toLocaleDateString(vscode.env.language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
}
