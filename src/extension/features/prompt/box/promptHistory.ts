import * as vscode from 'vscode';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { firstLine, toPickLabel } from '../../../platform/sanitize';
import { projectLabel, relativeTime } from '../../../presentation/jobText';
import { copyPrompt } from '../../../sending/copyPrompt';
import { BOX } from '../../../sending/drafts';
import { followUpTitle } from '../composer/promptTargets';
import type { PromptApp } from '../register';
import { draftItems, type DraftItem, section } from './contextInserter';
import { openBox } from './promptCommands';

const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: vscode.l10n.t('Copy') };

const SHOW_JOB: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('open-preview'),
  tooltip: vscode.l10n.t('Show Job'),
};

/** Maximum number of rows shown at once. */
const SHOWN = 200;

type Item = DraftItem & { prompt?: SentPrompt };

/**
 * Lists the drafts, and every prompt sent from this machine. A draft is opened where it was written; a prompt is inserted
 * into the current one, or opens a new one.
 */
export async function promptHistory(options: PromptApp): Promise<void> {
  const { store, drafts: kept, composer, targets, inserter } = options;
  await kept.flushAll();
  const typed = (await kept.files.typed(BOX)).filter(({ folder }) => targets.ofFolder(folder).location !== undefined);
  const all = [...(await composer.list()), ...typed].toSorted((a, b) => b.at - a.at);
  const drafts = draftItems(all, ({ text, folder }, time) => {
    const { job, name } = targets.ofFolder(folder);
    const target = job === undefined ? name : followUpTitle(job);
    return { label: toPickLabel(firstLine(text)), description: toPickLabel(`${target} · ${time}`) };
  });
  const { draft, prompt } = (await choose(drafts, sentPrompts(store.jobs))) ?? {};
  if (draft !== undefined) {
    await (typed.includes(draft) ? openBox(options, targets.ofFolder(draft.folder)) : composer.open(draft.path));
  } else if (prompt !== undefined) {
    await inserter.add({ instruction: prompt.text, blocks: [], refused: [] });
  }
}

/**
 * VS Code would search only the visible row text, but a word may be anywhere in a prompt, so rows are filtered here.
 */
function choose(drafts: readonly DraftItem[], prompts: readonly SentPrompt[]): Promise<Item | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t('Drafts and prompt history');
  pick.placeholder =
    drafts.length + prompts.length === 0
      ? vscode.l10n.t('You have no drafts, and no prompts were sent from this machine')
      : vscode.l10n.t('Select a draft to open, or a prompt to send again');
  const search = (): void => {
    const words = wordsIn(pick.value);
    const fitting = drafts.filter(({ draft }) => draft !== undefined && hasWords(draft.text, words));
    pick.items = [
      ...section(
        vscode.l10n.t('drafts'),
        fitting.map((item) => ({ ...item, alwaysShow: true })),
      ),
      ...section(vscode.l10n.t('sent'), rows(promptsWith(prompts, pick.value))),
    ];
  };
  search();
  return new Promise((resolve) => {
    pick.onDidChangeValue(search);
    pick.onDidTriggerItemButton(({ item: { prompt }, button }) => {
      if (button === SHOW_JOB) {
        pick.hide();
        void vscode.commands.executeCommand('docsAgent.showJob', prompt?.job.key);
        return;
      }
      void (prompt && copyPrompt(prompt.text));
    });
    pick.onDidAccept(() => {
      // Pressing Enter right after a key may pick a row from the previous list.
      const [picked] = pick.selectedItems;
      const item = picked !== undefined && pick.items.includes(picked) ? picked : pick.items[1];
      if (item?.draft !== undefined || item?.prompt !== undefined) {
        resolve(item);
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
  text: string;
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
    for (const prompt of job.prompts.filter(({ state }) => state !== 'discarded')) {
      const text = prompt.text.trim();
      const known = newest.get(text);
      if (text !== '' && (known === undefined || known.at < prompt.at)) {
        newest.set(text, { text, at: prompt.at, job });
      }
    }
  }
  return [...newest.values()].toSorted((a, b) => b.at - a.at);
}

/** The prompts that contain every word of the search. */
export function promptsWith(prompts: readonly SentPrompt[], search: string): readonly SentPrompt[] {
  const words = wordsIn(search);
  return prompts.filter(({ text }) => hasWords(text, words));
}

function wordsIn(search: string): readonly string[] {
  return search.toLowerCase().match(/\S+/g) ?? [];
}

function hasWords(text: string, words: readonly string[]): boolean {
  const small = words.length === 0 ? '' : text.toLowerCase();
  return words.every((word) => small.includes(word));
}
