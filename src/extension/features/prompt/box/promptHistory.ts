import * as vscode from 'vscode';
import type { JobStore } from '../../../../jobs/jobStore';
import type { OutgoingPrompt, TrackedJob } from '../../../../jobs/trackedJob';
import { COMMANDS } from '../../../ids';
import { firstLine, toPickLabel } from '../../../platform/sanitize';
import { projectLabel, relativeTime } from '../../../presentation/jobText';
import type { PromptDesk } from './promptDesk';

const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: vscode.l10n.t('Copy') };

const SHOW_JOB: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('open-preview'),
  tooltip: vscode.l10n.t('Show its job'),
};

/** So many rows are shown at once. */
const SHOWN = 200;

export interface PromptHistoryOptions {
  store: Pick<JobStore, 'jobs' | 'promptOf'>;
  desk: PromptDesk;
}

type Item = vscode.QuickPickItem & { prompt?: SentPrompt };

/** Offers every prompt that was sent from this machine; the one that is chosen goes into the prompt at hand, or opens one. */
export async function promptHistory({ store, desk }: PromptHistoryOptions): Promise<void> {
  const prompts = sentPrompts(store.jobs);
  if (prompts.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('No prompt was sent from here yet. Begin with “Compose Prompt”.'),
    );
    return;
  }
  const textOf = async ({ job, send }: SentPrompt): Promise<string> => (await store.promptOf(job.key, send)).trim();
  const chosen = await choose(prompts, textOf);
  if (chosen !== undefined) {
    await desk.add({ instruction: await textOf(chosen), blocks: [], refused: [] });
  }
}

/** VS Code would search in what a row shows, and a word may stand anywhere in a prompt: the rows are those that hold it. */
function choose(
  prompts: readonly SentPrompt[],
  textOf: (prompt: SentPrompt) => Promise<string>,
): Promise<SentPrompt | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t('Use a sent prompt again');
  pick.placeholder =
    prompts.length === 1 ? vscode.l10n.t('Search in 1 prompt') : vscode.l10n.t('Search in {0} prompts', prompts.length);
  const search = (): void => {
    pick.items = rows(promptsWith(prompts, pick.value));
  };
  const copy = async (prompt: SentPrompt | undefined): Promise<void> => {
    await vscode.env.clipboard.writeText(prompt === undefined ? '' : await textOf(prompt));
    vscode.window.setStatusBarMessage(vscode.l10n.t('Prompt copied'), 3000);
  };
  search();
  return new Promise((resolve) => {
    pick.onDidChangeValue(search);
    pick.onDidTriggerItemButton(({ item: { prompt }, button }) => {
      if (button === SHOW_JOB) {
        pick.hide();
        void vscode.commands.executeCommand(COMMANDS.showJob, prompt?.job.key);
        return;
      }
      void copy(prompt);
    });
    pick.onDidAccept(() => {
      // Enter right behind a key may take a row of the list before it.
      const [taken] = pick.selectedItems;
      const prompt = taken !== undefined && pick.items.includes(taken) ? taken.prompt : pick.items[0]?.prompt;
      if (prompt !== undefined) {
        resolve(prompt);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      pick.dispose();
      resolve(undefined);
    });
    pick.show();
  });
}

function rows(found: readonly SentPrompt[]): Item[] {
  const shown = found.slice(0, SHOWN).map(row);
  const more = { label: vscode.l10n.t('{0} more: type more of the prompt', found.length - SHOWN), alwaysShow: true };
  return found.length > SHOWN ? [...shown, more] : shown;
}

function row(prompt: SentPrompt): Item {
  const { text, at, job } = prompt;
  const first = firstLine(text);
  const rest = text.slice(text.indexOf(first) + first.length);
  const where = [
    projectLabel(job),
    relativeTime(at, Date.now()),
    job.untracked ? vscode.l10n.t('removed from the list') : '',
  ];
  return {
    label: toPickLabel(first),
    description: toPickLabel(where.filter((part) => part !== '').join(' · ')),
    detail: toPickLabel(rest.slice(0, 400)),
    buttons: job.untracked ? [COPY] : [SHOW_JOB, COPY],
    alwaysShow: true,
    prompt,
  };
}

/** A prompt of the past. */
export interface SentPrompt {
  /** The beginning of a long one: the store has the rest. */
  text: string;
  send: OutgoingPrompt;
  /** Wall time when it was given, in milliseconds. */
  at: number;
  /** The job that it went to last. */
  job: TrackedJob;
}

/**
 * All prompts that the records hold, newest first, equal ones once. One that the user gave up is not among them: it was
 * to be gone. Those of jobs that were removed from the list are, for as long as their records can bring the job back.
 */
export function sentPrompts(jobs: readonly TrackedJob[]): SentPrompt[] {
  const newest = new Map<string, SentPrompt>();
  for (const job of jobs) {
    for (const send of job.sends.filter(isKept)) {
      const text = send.prompt.trim();
      // Two long ones may differ where memory does not hold them.
      const name = send.isCut === true ? `${text}\n${send.id}` : text;
      const known = newest.get(name);
      if (text !== '' && (known === undefined || known.at < send.at)) {
        newest.set(name, { text, send, at: send.at, job });
      }
    }
  }
  return [...newest.values()].toSorted((a, b) => b.at - a.at);
}

/** The prompts that hold every word of a search, wherever it stands in what memory holds of them. */
export function promptsWith(prompts: readonly SentPrompt[], search: string): readonly SentPrompt[] {
  const words = search.toLowerCase().match(/\S+/g) ?? [];
  return words.length === 0
    ? prompts
    : prompts.filter(({ text }) => {
        const small = text.toLowerCase();
        return words.every((word) => small.includes(word));
      });
}

function isKept({ state }: OutgoingPrompt): boolean {
  return state !== 'discarded';
}
