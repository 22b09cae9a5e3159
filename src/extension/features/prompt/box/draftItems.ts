import * as vscode from 'vscode';
import type { DraftFile } from '../../../../jobs/store/draftFiles';
import { firstLine, toPickLabel } from '../../../platform/sanitize';
import { timeText } from '../../../presentation/jobText';

/** Maximum number of drafts offered. */
const MAX_OFFERED = 50;

/** A draft to continue; without `draft`, a new prompt. */
export type DraftItem = vscode.QuickPickItem & { draft?: DraftFile };

/** “Add to the draft from 20:22”, preceded by an item for a new prompt, because the draft's text would be sent too. */
export function itemsToAddTo(drafts: readonly DraftFile[]): DraftItem[] {
  const items = drafts.slice(0, MAX_OFFERED).map((draft) => ({
    label: `$(edit) ${vscode.l10n.t('Add to the draft from {0}', momentText(draft.at))}`,
    description: toPickLabel(firstLine(draft.text)),
    draft,
  }));
  return [{ label: `$(add) ${vscode.l10n.t('Start a new prompt')}` }, ...items];
}

/** @param nameOf the target of a draft, for display */
export function itemsToOpen(drafts: readonly DraftFile[], nameOf: (draft: DraftFile) => string): DraftItem[] {
  return drafts.slice(0, MAX_OFFERED).map((draft) => ({
    label: `$(edit) ${toPickLabel(firstLine(draft.text))}`,
    description: toPickLabel(`${nameOf(draft)} · ${momentText(draft.at)}`),
    draft,
  }));
}

/** The time, with the date unless it is today. */
function momentText(at: number): string {
  const date = new Date(at);
  return date.toDateString() === new Date().toDateString()
    ? timeText(at)
    : date.toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}
