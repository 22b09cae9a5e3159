import * as vscode from 'vscode';
import { firstLine, toPickLabel } from '../../text';
import { timeText } from '../../presentation/jobText';
import type { PromptDraft } from './composerDrafts';

/** So many are offered. */
const MAX_OFFERED = 50;

/** A prompt to go on with; a new one where there is no draft. */
export type PromptItem = vscode.QuickPickItem & { draft?: PromptDraft };

/** “Add to the draft of 20:22”, and before it the offer to start a new one: what the draft contains is sent too. */
export function itemsToAddTo(drafts: readonly PromptDraft[]): PromptItem[] {
  const items = drafts.slice(0, MAX_OFFERED).map((draft) => ({
    label: `$(edit) ${vscode.l10n.t('Add to the draft of {0}', momentText(draft.at))}`,
    description: toPickLabel(firstLine(draft.text)),
    draft,
  }));
  return [newPrompt(), ...items];
}

/** @param nameOf where a draft goes */
export function itemsToOpen(drafts: readonly PromptDraft[], nameOf: (draft: PromptDraft) => string): PromptItem[] {
  const items = drafts.slice(0, MAX_OFFERED).map((draft) => ({
    label: `$(edit) ${toPickLabel(firstLine(draft.text))}`,
    description: toPickLabel(`${nameOf(draft)} · ${momentText(draft.at)}`),
    draft,
  }));
  return [...items, newPrompt()];
}

function newPrompt(): PromptItem {
  return { label: `$(add) ${vscode.l10n.t('Start a new prompt')}` };
}

/** The time, and the day where it is not today. */
function momentText(at: number): string {
  const date = new Date(at);
  return date.toDateString() === new Date().toDateString()
    ? timeText(at)
    : date.toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}
