import * as vscode from 'vscode';
import type { ActivityEntry, ActivityEvent } from '../../../protocol/activity';
import { toLabel, toText } from '../../platform/sanitize';
import { serviceText } from '../../presentation/serviceText';
import type { Severity } from '../../presentation/severity';
import type { Activity, ActivityStep } from './model';
import { shownPath } from './shownPaths';

/** What the page shows of a job's activity log: the newest run's plan, and the newest steps. Immutable. */
export interface ActivityLog {
  /** The id of the last event; 0 if there is none. */
  readonly last: number;
  /** The newest turn, and whether it has ended. */
  readonly run: number;
  readonly hasEnded: boolean;
  readonly plan: Activity['plan'];
  /** Oldest first. */
  readonly steps: readonly LoggedStep[];
  /** How many older steps were dropped. */
  readonly earlier: number;
}

interface LoggedStep extends ActivityStep {
  readonly turn: number;
  /** Of a tool call: a later entry replaces it. */
  readonly call: string | undefined;
}

export const NO_ACTIVITY: ActivityLog = { last: 0, run: 0, hasEnded: false, plan: [], steps: [], earlier: 0 };

/** The page gets all steps with each change, several times a second. */
const MAX_STEPS = 200;

/** Adds events, which come in the order of their ids. */
export function addEvents(log: ActivityLog, events: readonly ActivityEvent[]): ActivityLog {
  return events.reduce(addEvent, log);
}

function addEvent(before: ActivityLog, { id, turn, at, entry }: ActivityEvent): ActivityLog {
  const log = { ...before, last: id, ...(turn === before.run ? {} : { run: turn, hasEnded: false, plan: [] }) };
  if (entry.kind === 'plan') {
    return { ...log, plan: entry.steps.map(({ text, state }) => ({ text: toText(text), state })) };
  }
  // The list of prompts and runs says how a run ended.
  if (entry.kind === 'state') {
    return { ...log, hasEnded: ['done', 'failed', 'cancelled'].includes(entry.state) };
  }
  const call = entry.kind === 'tool' ? entry.call : undefined;
  const step = {
    ...{ id, turn, call, at: Date.parse(at) || Date.now(), kind: entry.kind },
    ...{ tone: toneOf(entry), text: textOf(entry), files: entry.kind === 'tool' ? inRepository(entry.files) : [] },
  };
  const place = call === undefined ? -1 : log.steps.findIndex((each) => each.turn === turn && each.call === call);
  const known = log.steps[place];
  if (known !== undefined) {
    return { ...log, steps: log.steps.with(place, { ...step, id: known.id, at: known.at }) };
  }
  const steps = [...log.steps, step];
  return {
    ...log,
    steps: steps.slice(-MAX_STEPS),
    earlier: log.earlier + Math.max(0, steps.length - MAX_STEPS),
  };
}

/** @param isRunning whether the job is running, according to its record */
export function pageActivity({ run, hasEnded, plan, steps, earlier }: ActivityLog, isRunning: boolean): Activity {
  const isLive = isRunning && !hasEnded;
  const summary = steps.findLast(({ kind, turn }) => kind === 'message' && turn === run);
  const listed = steps.filter((step) => step !== summary);
  const turns = [...Map.groupBy(listed, ({ turn }) => turn)].map(([turn, all]) => ({
    turn,
    steps: all.map(({ id, at, kind, text, files, tone }) => {
      const isOver = tone === 'running' && !(isLive && turn === run);
      return { id, at, kind, text, files, tone: isOver ? 'plain' : tone };
    }),
  }));
  return {
    isLive,
    run,
    summary,
    // When a run ends, agents rarely update the state of each step.
    plan: plan.map(({ text, state }) => ({ text, state: isLive || state === 'completed' ? state : 'pending' })),
    turns,
    earlier,
  };
}

type StepEntry = Exclude<ActivityEntry, { kind: 'plan' | 'state' }>;

function textOf(entry: StepEntry): string {
  switch (entry.kind) {
    case 'message':
      return toText(entry.text);
    case 'note':
      return toText(serviceText(entry.coded, entry.text));
    case 'tool':
      return toLine(entry.title) || vscode.l10n.t('Unnamed step');
    case 'permission':
      return permissionText(entry.answer, toLine(entry.title), toLine(serviceText(entry.coded, entry.why)));
  }
}

/** The service cuts lines when it writes them. */
function toLine(text: string): string {
  return toLabel(text, Infinity);
}

function permissionText(answer: 'allowed' | 'refused' | 'cancelled', title: string, why: string): string {
  return {
    allowed: vscode.l10n.t('Allowed: {0}', title),
    refused:
      why === ''
        ? vscode.l10n.t('Permission denied: {0}', title)
        : vscode.l10n.t('Permission denied: {0} ({1})', title, why),
    cancelled: vscode.l10n.t('Permission request canceled: {0}', title),
  }[answer];
}

function toneOf(entry: StepEntry): Severity {
  switch (entry.kind) {
    case 'tool':
      // Failing tools are normal for an agent, so this is only a warning.
      return entry.state === 'failed' ? 'warning' : entry.state === 'completed' ? 'plain' : 'running';
    case 'permission':
      return entry.answer === 'refused' ? 'warning' : 'plain';
    case 'message':
    case 'note':
      return 'plain';
  }
}

/** Leaves out files outside the repository, and paths that do not read the way they are written. */
function inRepository(files: readonly string[]): string[] {
  const isInside = (file: string): boolean =>
    file !== '' && !/^(?:[/\\~]|[A-Za-z]:|\.{1,2}(?:\/|$))|\/\.\.(?:\/|$)/.test(file) && shownPath(file) === file;
  return [...new Set(files)].filter(isInside);
}
