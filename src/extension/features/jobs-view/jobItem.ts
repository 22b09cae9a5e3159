import * as vscode from 'vscode';
import type { PollHealth } from '../../../jobs/ports';
import {
  firstPromptText,
  type OutgoingPrompt,
  pendingCreate,
  pendingPrompts,
  type TrackedJob,
} from '../../../jobs/trackedJob';
import { firstLine, toLabel, toTooltip } from '../../platform/sanitize';
import { type JobView, promptLook } from '../../presentation/describeJob';
import { FINDING_ACTIONS } from '../../presentation/findingRows';
import { sendReasonText } from '../../presentation/errorText';
import { baseText, hasConflicts } from '../../presentation/surroundings';
import { getPromptActions } from '../../presentation/jobActions';
import { projectLabel, relativeTime, shortAge } from '../../presentation/jobText';
import type { Look } from '../../presentation/severity';
import { promptText, waitingLook } from '../../presentation/waiting';
import type { Heading, Section } from './jobList';

/** The number of prompt lines that a tooltip shows. */
const PROMPT_LINES = 6;

/** The characters that fit in a row of a view of 240 pixels, in which the title must leave room for the facts. */
const ROW_LENGTH = 27;

/** What is left of the longest title, in characters. Shorter ones could not be told apart. */
const MIN_TITLE = 12;

/** How a row is shown besides what it says about its job. */
export interface RowOptions {
  now: number;
  /** The section already shows the usual states. */
  stateIsSaid: boolean;
  /** Neither its section nor the rest of the list says its project. */
  showsProject: boolean;
  /** The number of unsent comments on its changes. */
  comments: number;
  ages: () => Intl.RelativeTimeFormat;
}

/** The row of a job. Its tooltip is created when it is first needed. */
export function jobItem(
  view: JobView,
  { now, stateIsSaid, showsProject, comments, ages }: RowOptions,
): vscode.TreeItem {
  const { job, state, title, waiting, review, around, changes, files, stale } = view;
  const open = pendingPrompts(job).length > 0;
  const folding = open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
  const notes = commentsText(comments);
  const surroundings = job.snapshot?.surroundings;
  const isDone = view.group === 'done';
  const conflict = hasConflicts(surroundings) && !isDone ? baseText(surroundings) : undefined;
  // The group already says that it is done, and the page where merged work went.
  const done = state === 'finished' && stateIsSaid ? vscode.l10n.t('no pull request') : undefined;
  const shownState = state === 'merged' ? vscode.l10n.t('merged') : (done ?? view.label);
  const isSaid = stateIsSaid && (state === 'running' || state === 'unchecked' || view.severity === 'good');
  const word = conflict !== undefined ? vscode.l10n.t('conflict') : isSaid ? '' : shownState;
  const age = stale ?? shortAge(job.updatedAt, now);
  const project = projectLabel(job);
  // Omits what icon and group already show; the accessibility label contains everything. In a narrow view, the end is cut.
  const whole = withoutEmpty([word, files, age]).join(' · ');
  const main = word === '' || whole.length <= ROW_LENGTH - MIN_TITLE ? whole : `${word} · ${age}`;
  const others = isDone ? [] : around.filter((text) => text !== conflict);
  const more = withoutEmpty([notes, waiting, ...review, ...others, showsProject ? project : '']);
  // The editor ends what it cuts with an ellipsis, which needs room, too.
  const ending = more.length > 0 ? ' …' : '';
  const item = new vscode.TreeItem(shortTitle(job.unseen ? `• ${title}` : title, main + ending), folding);
  const fullAge = stale ?? relativeTime(job.updatedAt, now, ages);
  const unseen = job.unseen ? vscode.l10n.t('unread') : '';
  item.id = `job:${job.key}`;
  item.description = [main, ...more].join(' · ');
  item.iconPath = toIcon(view);
  const preview = { jobKey: job.key, preview: true };
  item.command = { command: 'docsAgent.showJob', title: vscode.l10n.t('Show Job'), arguments: [preview] };
  // The words that the `when` clauses of the menus look for.
  item.contextValue = `;job;${view.actions.join(';')};`;
  const all = [title, waiting, notes, view.label, ...review, ...around, changes, fullAge, project, unseen];
  item.accessibilityInformation = { label: withoutEmpty(all).join(', ') };
  return item;
}

/** Cuts a title, after a word if that leaves most of the room filled. The tooltip shows it in full. */
export function shortTitle(title: string, description: string): string {
  const max = Math.max(MIN_TITLE, ROW_LENGTH - description.length);
  const label = toLabel(title, max);
  const end = label.lastIndexOf(' ');
  return label === toLabel(title) || end < max * 0.7 ? label : `${label.slice(0, end)}…`;
}

function commentsText(count: number): string {
  if (count === 0) {
    return '';
  }
  return count === 1 ? vscode.l10n.t('1 unsent comment') : vscode.l10n.t('{0} unsent comments', count);
}

function withoutEmpty(texts: readonly (string | undefined)[]): string[] {
  return texts.filter((text) => text !== undefined && text !== '') as string[];
}

function toIcon({ icon, iconColor }: Look): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icon, iconColor === undefined ? undefined : new vscode.ThemeColor(iconColor));
}

/** The row of a follow-up that has not been accepted yet, below its job. */
export function sendItem(job: TrackedJob, prompt: OutgoingPrompt, health?: PollHealth): vscode.TreeItem {
  const item = new vscode.TreeItem(toLabel(firstLine(prompt.text)));
  item.id = `send:${job.key}:${prompt.id}`;
  const state = promptText(job, prompt, health);
  item.description = state;
  item.iconPath = toIcon(promptLook(job, prompt));
  item.contextValue = `;send;${getPromptActions(prompt).join(';')};`;
  item.accessibilityInformation = { label: `${vscode.l10n.t('Follow-up')}: ${toLabel(prompt.text)}, ${state}` };
  return item;
}

/** The title, facts, and the beginning of the prompt; all untrusted text is escaped. */
export function jobTooltip({ job, title, facts }: JobView): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString().appendText(toTooltip(title)).appendMarkdown('\n\n');
  for (const { label, text } of facts) {
    const words = toTooltip(text).split(' ');
    // `appendText` makes spaces non-breaking, so that lines would break within words.
    words.reduce((all, word) => all.appendMarkdown(' ').appendText(word), tooltip.appendMarkdown(`**${label}:**`));
    tooltip.appendMarkdown('  \n');
  }
  const create = pendingCreate(job);
  if (create !== undefined) {
    tooltip.appendMarkdown('\n\n').appendText(toTooltip(sendReasonText(create)));
  }
  return appendPrompt(tooltip, firstPromptText(job));
}

export function sendTooltip(job: TrackedJob, prompt: OutgoingPrompt, health?: PollHealth): vscode.MarkdownString {
  const text = waitingLook(job, prompt, health)?.detail ?? sendReasonText(prompt);
  const tooltip = new vscode.MarkdownString().appendText(toTooltip(text));
  return appendPrompt(tooltip, prompt.text);
}

/** Shows enough of the prompt to recognize it; a long one could fill the screen. */
function appendPrompt(tooltip: vscode.MarkdownString, prompt: string | undefined): vscode.MarkdownString {
  if (prompt === undefined) {
    return tooltip;
  }
  const lines = prompt.trim().split(/\r?\n/);
  const shown = lines.slice(0, PROMPT_LINES).map((line) => toLabel(line, 200));
  const more = lines.length - PROMPT_LINES;
  const rest = more <= 0 ? [] : [more === 1 ? vscode.l10n.t('… 1 more line') : vscode.l10n.t('… {0} more lines', more)];
  tooltip.appendMarkdown('\n\n---\n\n');
  for (const line of [...shown, ...rest]) {
    tooltip.appendText(toTooltip(line)).appendMarkdown('  \n');
  }
  return tooltip;
}

/** The row of a section: its name and its number of jobs. */
export function sectionItem({ id, heading, jobs }: Section, collapsed: boolean): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const label = headingText(heading);
  const item = new vscode.TreeItem(label, collapsed ? Collapsed : Expanded);
  item.id = `section:${id}`;
  item.description = jobs.length.toLocaleString(vscode.env.language);
  item.contextValue = ';section;';
  const count = jobs.length === 1 ? vscode.l10n.t('1 job') : vscode.l10n.t('{0} jobs', jobs.length);
  item.accessibilityInformation = { label: `${label}, ${count}` };
  return item;
}

/** The row above what the last check of the documentation has found. */
export function findingsItem(id: string, count: number, collapsed: boolean): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const label = vscode.l10n.t('Problems in the docs');
  const item = new vscode.TreeItem(label, collapsed ? Collapsed : Expanded);
  item.id = `section:${id}`;
  item.description = count.toLocaleString(vscode.env.language);
  item.accessibilityInformation = { label: `${label}, ${item.description}` };
  item.contextValue = `;section;${FINDING_ACTIONS.group.join(';')};`;
  return item;
}

function headingText(heading: Heading): string {
  return {
    attention: vscode.l10n.t('Needs attention'),
    running: vscode.l10n.t('Active'),
    ready: vscode.l10n.t('Ready for review'),
    done: vscode.l10n.t('Done'),
    others: vscode.l10n.t('Other projects'),
    removed: vscode.l10n.t('Removed from the list'),
  }[heading.by === 'state' ? heading.state : heading.by];
}
