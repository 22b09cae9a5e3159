import * as vscode from 'vscode';
import { createYielder } from '../../../base/async';
import { type AgentStep, type AgentActivity, getNewestTurnState, type PlanStep } from '../../../jobs/agentActivity';
import { toLabel, toQuestion, toText } from '../../platform/sanitize';
import { serviceText } from '../../presentation/serviceText';
import type { Severity } from '../../presentation/severity';
import type { Story, StoryStep } from './model';

/** Maximum lengths of a message and of a line, in characters, and the maximum number of files per step. */
const MAX_MESSAGE = 4000;
const MAX_LINE = 300;
const MAX_FILES = 20;

/** Maximum number of steps of a plan; the local service sends no more. */
const MAX_PLAN = 100;

/** Maximum length of a path, in characters. */
const MAX_PATH = 1000;

/**
 * Converts the new entries of the log, yielding in between. Otherwise `pageStory` converts them all at once, which
 * takes seconds if an agent has made each step expensive to convert.
 */
export async function preparePageStory(story: AgentActivity): Promise<void> {
  const yieldTurn = createYielder();
  for (const { entry } of story.turns.flatMap(({ steps }) => steps)) {
    textsOf(entry);
    await yieldTurn();
  }
  for (const step of story.plan.slice(0, MAX_PLAN)) {
    planText(step);
    await yieldTurn();
  }
}

/** The agent's activity log as text. @param isRunning whether the job is running, according to its record */
export function pageStory(story: AgentActivity, isRunning: boolean): Story {
  const isLive = isRunning && !ENDED.has(getNewestTurnState(story) ?? '');
  const last = story.turns.at(-1)?.turn;
  const newest = story.turns.find(({ turn }) => turn === story.newest.turn);
  const summary = newest?.steps.findLast(({ entry }) => entry.kind === 'message');
  return {
    isLive,
    run: story.newest.turn,
    ...(summary === undefined ? {} : { summary: textsOf(summary.entry).text }),
    // When a run ends, agents rarely update the state of each step.
    plan: story.plan.slice(0, MAX_PLAN).map((each) => ({
      text: planText(each),
      state: isLive || each.state === 'completed' ? each.state : 'pending',
    })),
    turns: story.turns.map(({ turn, from, steps }) => ({
      turn,
      from,
      steps: steps.map((step) => toStep(step, isLive && turn === last)),
    })),
    earlier: story.earlier,
  };
}

/** A repository path as shown on the page; invisible characters are written as their numbers. */
export function shownPath(path: string): string {
  return toQuestion(path, MAX_PATH);
}

/**
 * The paths of files as shown on the page, each of which identifies its file there. Equal ones, as of names that differ
 * in spaces only, get a number.
 */
export function shownPaths(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const names = paths.map(shownPath);
  const used = new Set(names);
  return names.map((shown) => {
    let count = (counts.get(shown) ?? 0) + 1;
    while (count > 1 && used.has(`${shown} (${count})`)) {
      count += 1;
    }
    counts.set(shown, count);
    return count === 1 ? shown : `${shown} (${count})`;
  });
}

const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);

/** Entries and steps of a plan never change, and a growing log is shown several times a second. */
const shown = new WeakMap<AgentStep['entry'], Pick<StoryStep, 'text' | 'files'>>();
const shownPlan = new WeakMap<PlanStep, string>();

function textsOf(entry: AgentStep['entry']): Pick<StoryStep, 'text' | 'files'> {
  let texts = shown.get(entry);
  if (texts === undefined) {
    texts = { text: textOf(entry), files: entry.kind === 'tool' ? inRepository(entry.files) : [] };
    shown.set(entry, texts);
  }
  return texts;
}

function planText(step: PlanStep): string {
  const text = shownPlan.get(step) ?? toLabel(step.text, MAX_LINE);
  shownPlan.set(step, text);
  return text;
}

function toStep(step: AgentStep, isLive: boolean): StoryStep {
  const { id, at, entry } = step;
  return { id: String(id), at, kind: entry.kind, tone: toneOf(step, isLive), ...textsOf(entry) };
}

function textOf(entry: AgentStep['entry']): string {
  switch (entry.kind) {
    case 'state':
      return stateText(entry.state, toLabel(serviceText(entry.coded, entry.reason), MAX_LINE));
    case 'message':
      return toText(entry.text, MAX_MESSAGE);
    case 'note':
      return toText(serviceText(entry.coded, entry.text), MAX_MESSAGE);
    case 'tool':
      return toLabel(entry.title, MAX_LINE) || vscode.l10n.t('Unnamed step');
    case 'permission':
      return permissionText(
        entry.answer,
        toLabel(entry.title, MAX_LINE),
        toLabel(serviceText(entry.coded, entry.why), MAX_LINE),
      );
  }
}

type State = Extract<AgentStep['entry'], { kind: 'state' }>['state'];

function stateText(state: State, reason: string): string {
  switch (state) {
    case 'queued':
      return vscode.l10n.t('Queued');
    case 'running':
      return vscode.l10n.t('Agent started');
    case 'publishing':
      return vscode.l10n.t('Saving changes to the branch');
    case 'done':
      return vscode.l10n.t('Finished');
    case 'failed':
      return reason === '' ? vscode.l10n.t('Failed') : vscode.l10n.t('Failed: {0}', reason);
    case 'cancelled':
      return vscode.l10n.t('Stopped');
  }
}

function permissionText(answer: 'allowed' | 'refused' | 'cancelled', title: string, why: string): string {
  switch (answer) {
    case 'allowed':
      return vscode.l10n.t('Allowed: {0}', title);
    case 'refused':
      return why === ''
        ? vscode.l10n.t('Permission denied: {0}', title)
        : vscode.l10n.t('Permission denied: {0} ({1})', title, why);
    case 'cancelled':
      return vscode.l10n.t('Permission request canceled: {0}', title);
  }
}

function toneOf({ entry }: AgentStep, isLive: boolean): Severity {
  switch (entry.kind) {
    case 'state':
      return {
        queued: 'waiting',
        running: 'plain',
        publishing: 'plain',
        done: 'good',
        failed: 'bad',
        cancelled: 'plain',
      }[entry.state] as Severity;
    case 'tool':
      // Failing tools are normal for an agent, so this is only a warning.
      return entry.state === 'failed' ? 'warning' : entry.state === 'completed' || !isLive ? 'plain' : 'running';
    case 'permission':
      return entry.answer === 'refused' ? 'warning' : 'plain';
    case 'message':
    case 'note':
      return 'plain';
  }
}

/** Leaves out files outside the repository, and paths that are too long or do not read the way they are written. */
function inRepository(files: readonly string[]): string[] {
  const isInside = (file: string): boolean =>
    file !== '' &&
    file.length <= MAX_LINE &&
    !/^(?:[/\\~]|[A-Za-z]:|\.{1,2}(?:\/|$))|\/\.\.(?:\/|$)/.test(file) &&
    shownPath(file) === file;
  return [...new Set(files)].slice(0, MAX_FILES).filter(isInside);
}
