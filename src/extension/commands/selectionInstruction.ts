import * as vscode from 'vscode';
import type { Home } from '../../jobs/events';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { NotesOf } from '../prompt/context/notesOf';
import { type TakenSelection, selectionsOf, withNotes } from '../prompt/context/selections';
import type { Keep, OtherTime, PromptBox } from '../prompt/promptBox';
import { toLabel } from '../text';
import { type SelectedText, promptWithSelections, selectionAlone } from '../../prompt/selectionPrompt';

const { t } = vscode.l10n;

export interface SelectionRequest {
  title: string;
  draft: string;
  /** What the selection is for; asked for when undefined, and empty when the selection is the prompt. */
  instruction: string | undefined;
  hint?: string | undefined;
  /** A second way to send. */
  other?: OtherTime | undefined;
  /** Where the prompt goes. */
  home: Home;
  /** The prompt that an instruction makes. */
  whole: (instruction: string) => Promise<string>;
  /** Goes on in the editor with instruction and selections. */
  compose: (instruction: string) => Promise<unknown>;
}

/**
 * What is selected now; undefined when nothing is, which is told. To be taken before anything is asked: while a box is
 * open the selection may change.
 */
export function takeSelections(): TakenSelection[] | undefined {
  const selections = selectionsOf(vscode.window.activeTextEditor);
  if (selections.length > 0) {
    return selections;
  }
  void vscode.window.showWarningMessage(t('Select some text in an editor first.'));
  return undefined;
}

/**
 * Sends with the instruction for the selections, asked for where none is given. Undefined when the user cancelled.
 *
 * @param named keeps what is made of an instruction that was given
 */
export async function sendWithInstruction(
  prompts: PromptBox,
  { title, draft, instruction, hint, other, home, whole, compose }: SelectionRequest,
  keep: Keep<TrackedJob>,
  named = keep,
): Promise<TrackedJob | undefined> {
  const placeholder = t('What to do with the selection. Enter alone sends the selection as the prompt');
  const box = { title, placeholder, draft, hint, other, home, whole, compose, allowEmpty: true };
  return instruction === undefined ? prompts.ask(box, keep) : prompts.given(instruction, box, named, keep);
}

/** Where the selections stand, for a title: what is about to be sent is named before it goes. */
export function selectionLabel(selections: readonly SelectedText[]): string {
  const [first] = selections;
  if (first === undefined) {
    return '';
  }
  const name = toLabel(first.path.split('/').at(-1) ?? '', 40);
  const place =
    first.startLine === first.endLine
      ? t('{0}, line {1}', name, first.startLine)
      : t('{0}, lines {1}–{2}', name, first.startLine, first.endLine);
  return selections.length === 1 ? place : t('{0} and {1} more', place, selections.length - 1);
}

/** The prompt that selections and instruction make: the selections whole, because nobody sees what would be left out. */
export async function selectionPrompt(
  instruction: string,
  selections: readonly TakenSelection[],
  notesOf: NotesOf,
): Promise<string> {
  return instruction.trim() === ''
    ? selectionAlone(selections)
    : promptWithSelections(instruction, await withNotes(selections, notesOf));
}
