import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { PollHealth } from '../../jobs/ports';
import { firstPromptText, type TrackedJob } from '../../jobs/trackedJob';
import type { ChangeCounts } from '../../protocol/changes';
import { numberText } from '../platform/numberText';
import { firstLine, toLabel } from '../platform/sanitize';

/** The title of a job: the user's name for it, the first line of its prompt, or its id if it was tracked by id. */
export function jobTitle(job: TrackedJob): string {
  if (job.title !== undefined) {
    return toLabel(job.title);
  }
  const prompt = firstPromptText(job);
  return prompt === undefined
    ? vscode.l10n.t('Job {0}', toLabel(job.snapshot?.id ?? '', 40))
    : toLabel(firstLine(prompt));
}

export function projectLabel(job: Pick<TrackedJob, 'location'>): string {
  const name = toLabel(job.location.projectName ?? job.location.projectId, 40);
  return job.location.service === LOCAL_SERVICE ? vscode.l10n.t('{0} (local)', name) : name;
}

/** Hours and minutes, in the editor's language. */
export function timeText(at: number | undefined): string {
  return new Date(at ?? 0).toLocaleTimeString(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
}

/** The date and the time of a day, in the editor's language. */
export function dateText(at: number): string {
  return new Date(at).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Capitalizes a text that stands on its own. */
export function asHeading(text: string): string {
  const [first = ''] = text;
  return first.toLocaleUpperCase(vscode.env.language) + text.slice(first.length);
}

/** How old the last known state of a job is, if polling fails; undefined while it is up to date. */
export function staleText(health: PollHealth | undefined, now: number): string | undefined {
  if (health?.failure === undefined) {
    return undefined;
  }
  if (health.failure === 'notFound') {
    return vscode.l10n.t('not found on the service');
  }
  return health.lastSuccessAt === undefined
    ? vscode.l10n.t('not updated yet: no response')
    : vscode.l10n.t('last updated {0}', relativeTime(health.lastSuccessAt, now));
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Creates the format for ages. Creating one takes longer than formatting a hundred ages, so reuse it for many. */
export function makeAgeFormat(): Intl.RelativeTimeFormat {
  return new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto', style: 'short' });
}

/** “5m” in every language, where there is no room for more. Times in milliseconds. */
export function shortAge(at: number, now: number): string {
  const age = Math.max(0, now - at);
  const [unit = '', length = 1] = UNITS.find(([, each]) => age >= each) ?? [];
  return unit === '' ? vscode.l10n.t('now') : `${Math.floor(age / length)}${unit.charAt(0)}`;
}

/** “2 files +8 −1”, without a zero. */
export function changesText({ files, added, deleted }: ChangeCounts): string {
  const count = filesText({ files });
  const lines = [added > 0 ? `+${numberText(added)}` : '', deleted > 0 ? `−${numberText(deleted)}` : ''];
  return [count, ...lines].filter((part) => part !== '').join(' ');
}

/** “2 files” */
export function filesText({ files }: Pick<ChangeCounts, 'files'>): string {
  return files === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', numberText(files));
}

/** "3 min. ago", in the editor's language. Times in milliseconds. */
export function relativeTime(at: number, now: number, ageFormat = makeAgeFormat): string {
  const age = Math.max(0, now - at);
  for (const [unit, length] of UNITS) {
    if (age >= length) {
      return ageFormat().format(-Math.floor(age / length), unit);
    }
  }
  return vscode.l10n.t('just now');
}
