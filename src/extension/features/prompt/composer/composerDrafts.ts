import * as vscode from 'vscode';
import { firstLine, toPickLabel } from '../../../platform/sanitize';
import { timeText } from '../../../presentation/jobText';
import type { Drafts } from '../../../sending/drafts';
import { composerDraft, type ComposerTarget, readDraftName } from './composerTarget';

/** A nonempty prompt, whether its document is open or not. */
export interface PromptDraft {
  target: ComposerTarget;
  text: string;
  /** When it was last edited, in milliseconds. */
  at: number;
  /** Its number among the drafts for the same target, starting with the oldest. */
  number: number;
}

/** The unsent drafts. There may be several for the same project or job. */
export class ComposerDrafts {
  /** @param newId returns a unique draft name of letters and digits */
  constructor(
    private readonly drafts: Pick<Drafts, 'list'>,
    private readonly newId: () => string,
  ) {}

  /** The drafts for the same project or job as the target, newest first. */
  of(target: ComposerTarget): Promise<PromptDraft[]> {
    return this.list([firstOf(target)]);
  }

  /** The drafts for any of the targets, newest first. */
  async list(targets: readonly ComposerTarget[]): Promise<PromptDraft[]> {
    const byName = new Map(targets.map((target) => [composerDraft(target), target]));
    const targetOf = (name: string): ComposerTarget | undefined => {
      const parts = readDraftName(name);
      const first = parts && byName.get(parts.first);
      return first && (parts.draft === undefined ? first : { ...first, draft: parts.draft });
    };
    const found = await this.drafts.list((name) => targetOf(name) !== undefined);
    const counts = new Map<string | undefined, number>();
    const numbered = found.reverse().flatMap(({ target: name, text, at }) => {
      const target = targetOf(name);
      const first = readDraftName(name)?.first;
      const number = (counts.get(first) ?? 0) + 1;
      counts.set(first, number);
      return target === undefined ? [] : [{ target, text, at, number }];
    });
    return numbered.reverse();
  }

  /** Returns a target for the same project or job whose prompt is empty: the first one if it has no text. */
  async empty(target: ComposerTarget): Promise<ComposerTarget> {
    const first = firstOf(target);
    const drafts = await this.of(first);
    return drafts.some((each) => each.target.draft === undefined) ? { ...first, draft: this.newId() } : first;
  }
}

function firstOf(target: ComposerTarget): ComposerTarget {
  return { ...target, draft: undefined };
}

/** Maximum number of drafts offered. */
const MAX_OFFERED = 50;

/** A draft to continue; without `draft`, a new prompt. */
export type PromptItem = vscode.QuickPickItem & { draft?: PromptDraft };

/** “Add to the draft of 20:22”, preceded by an item for a new prompt, because the draft's text would be sent too. */
export function itemsToAddTo(drafts: readonly PromptDraft[]): PromptItem[] {
  const items = drafts.slice(0, MAX_OFFERED).map((draft) => ({
    label: `$(edit) ${vscode.l10n.t('Add to the draft from {0}', momentText(draft.at))}`,
    description: toPickLabel(firstLine(draft.text)),
    draft,
  }));
  return [newPrompt(), ...items];
}

/** @param nameOf the target of a draft, for display */
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

/** The time, with the date unless it is today. */
function momentText(at: number): string {
  const date = new Date(at);
  return date.toDateString() === new Date().toDateString()
    ? timeText(at)
    : date.toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}

/**
 * Returns what was typed in a document since its text was sent; empty when nothing was. When it was changed in several
 * places, the text between them stays too, and all of it stays if the sent text was replaced: better to keep too much
 * than to lose a keystroke.
 */
export function withoutSent(now: string, sent: string): string {
  const at = now.indexOf(sent);
  if (at !== -1) {
    return now.slice(0, at) + now.slice(at + sent.length);
  }
  const shorter = Math.min(now.length, sent.length);
  let start = 0;
  while (start < shorter && now[start] === sent[start]) {
    start++;
  }
  let end = 0;
  while (end < shorter - start && now[now.length - 1 - end] === sent[sent.length - 1 - end]) {
    end++;
  }
  const rest = now.slice(start, now.length - end);
  return rest === '' || rest.includes(sent.slice(start, sent.length - end)) ? rest : now;
}
