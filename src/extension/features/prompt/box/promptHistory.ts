import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import type { JobStore } from '../../../../jobs/jobStore';
import type { OutgoingPrompt, TrackedJob } from '../../../../jobs/trackedJob';
import { COMMANDS } from '../../../ids';
import { wantsDrafts } from '../../../platform/commandArguments';
import { firstLine, toPickLabel } from '../../../platform/sanitize';
import { projectLabel, relativeTime } from '../../../presentation/jobText';
import { copySentPrompt, readSentPrompt } from '../../../sending/sentPrompt';
import { openDraft, type OpenDraftOptions } from './promptCommands';
import type { ContextInserter } from './contextInserter';

const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: vscode.l10n.t('Copy') };

const SHOW_JOB: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('open-preview'),
  tooltip: vscode.l10n.t('Show Job'),
};

/** Maximum number of rows shown at once. */
const SHOWN = 200;

export interface PromptHistoryOptions extends OpenDraftOptions {
  store: JobStore;
  desk: ContextInserter;
  log: Logger;
}

type Item = vscode.QuickPickItem & { prompt?: SentPrompt; isDrafts?: true };

/**
 * Lists every prompt sent from this machine, and on request the drafts. The chosen prompt is inserted into the current
 * one, or opens a new one; a draft is opened.
 */
export async function promptHistory(options: PromptHistoryOptions, argument: unknown): Promise<void> {
  const { store, desk, log } = options;
  const prompts = sentPrompts(store.jobs);
  if (prompts.length === 0 || wantsDrafts(argument)) {
    await openDraft(options);
    return;
  }
  const copy = ({ job, send }: SentPrompt): Promise<void> => copySentPrompt(store, job.key, send, log);
  const chosen = await choose(prompts, copy);
  if (chosen === 'drafts') {
    await openDraft(options);
  } else if (chosen !== undefined) {
    const instruction = (await readSentPrompt(store, chosen.job.key, chosen.send)).trim();
    await desk.add({ instruction, blocks: [], refused: [] });
  }
}

/**
 * VS Code would search only the visible row text, but a word may be anywhere in a prompt, so rows are filtered here.
 */
function choose(
  prompts: readonly SentPrompt[],
  copy: (prompt: SentPrompt) => Promise<void>,
): Promise<SentPrompt | 'drafts' | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t('Prompt history');
  pick.placeholder =
    prompts.length === 1 ? vscode.l10n.t('Search in 1 prompt') : vscode.l10n.t('Search in {0} prompts', prompts.length);
  const drafts: Item[] = [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label: `$(edit) ${vscode.l10n.t('Unsent prompts…')}`, alwaysShow: true, isDrafts: true },
  ];
  const search = (): void => {
    pick.items = [...rows(promptsWith(prompts, pick.value)), ...(pick.value === '' ? drafts : [])];
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
      void (prompt && copy(prompt));
    });
    pick.onDidAccept(() => {
      // Pressing Enter right after a key may pick a row from the previous list.
      const [taken] = pick.selectedItems;
      if (taken?.isDrafts === true) {
        resolve('drafts');
        pick.hide();
        return;
      }
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
  const more = {
    label: vscode.l10n.t('{0} more. Keep typing to narrow the list', found.length - SHOWN),
    alwaysShow: true,
  };
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

/** A prompt from the history. */
export interface SentPrompt {
  /** Only the beginning when the prompt is long; the store has the rest. */
  text: string;
  send: OutgoingPrompt;
  /** Wall time at which it was written, in milliseconds. */
  at: number;
  /** The job it was last sent to. */
  job: TrackedJob;
}

/**
 * All prompts in the records, newest first, without duplicates. Prompts that the user discarded are left out, because
 * they were meant to be gone. Prompts of jobs removed from the list are included for as long as their records can
 * restore the job.
 */
export function sentPrompts(jobs: readonly TrackedJob[]): SentPrompt[] {
  const newest = new Map<string, SentPrompt>();
  for (const job of jobs) {
    for (const send of job.sends.filter(isKept)) {
      const text = send.prompt.trim();
      // Two long prompts may differ in the part that is not in memory.
      const name = send.isCut === true ? `${text}\n${send.id}` : text;
      const known = newest.get(name);
      if (text !== '' && (known === undefined || known.at < send.at)) {
        newest.set(name, { text, send, at: send.at, job });
      }
    }
  }
  return [...newest.values()].toSorted((a, b) => b.at - a.at);
}

/** The prompts that contain every word of the search, as far as their text is in memory. */
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
