import * as vscode from 'vscode';
import type { Home } from '../../jobs/events';
import type { TrackedJob } from '../../jobs/trackedJob';
import { isNotVisible } from '../../prompt/permalink';
import type { NotesOf } from '../prompt/visibility/notesOf';
import { type TakenSelection, selectionsOf, withNotes } from '../prompt/context/selections';
import type { Keep, PromptBox } from '../prompt/promptBox';
import { toLabel } from '../text';
import { numberText } from '../invisibleWords';
import {
  type SelectedText,
  isLongSelection,
  promptWithSelections,
  selectionLength,
} from '../../prompt/selectionPrompt';
import { type OtherTime, SendCancelled } from '../prompt/promptSession';

export interface SelectionRequest {
  title: string;
  draft: string;
  selections: readonly TakenSelection[];
  notesOf: NotesOf;
  /** What the selection is for; asked for when undefined, and empty where its place says enough. */
  instruction: string | undefined;
  hint?: string | undefined;
  /** A second way to send. */
  other?: OtherTime | undefined;
  /** Where the prompt goes. */
  home: Home;
  /** Goes on in the editor with a prompt. */
  compose: (prompt: string) => Promise<unknown>;
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
  void vscode.window.showWarningMessage(vscode.l10n.t('Select some text in an editor first.'));
  return undefined;
}

/**
 * Sends with the instruction for the selections, asked for where none is given. Undefined when the user cancelled.
 *
 * @param named keeps what is made of an instruction that was given
 */
export async function sendWithInstruction(
  prompts: PromptBox,
  { instruction, selections, notesOf, hint, compose, ...rest }: SelectionRequest,
  keep: Keep<TrackedJob>,
  named = keep,
): Promise<TrackedJob | undefined> {
  // The selections whole, because nobody sees what would be left out.
  const whole = async (typed: string): Promise<string> =>
    promptWithSelections(typed, await withNotes(selections, notesOf));
  const size = isLongSelection(selections) ? longWords(selectionLength(selections)) : undefined;
  const box = {
    ...rest,
    placeholder: vscode.l10n.t('What to do with the selection. Enter alone sends it with its place'),
    hint: [size, hint].filter((each) => each !== undefined).join(' ') || undefined,
    whole,
    compose: async (typed: string) => compose(await whole(typed)),
    allowEmpty: true,
  };
  if (instruction !== undefined) {
    return prompts.given(instruction, box, named, keep);
  }
  const laterHint = withNotes(selections, notesOf).then(unseenWords);
  return prompts.ask({ ...box, laterHint }, async (prompt, said) => {
    if (size !== undefined && !(await wantsLong(size))) {
      throw new SendCancelled('stay');
    }
    return keep(prompt, said);
  });
}

function longWords(length: number): string {
  return vscode.l10n.t('The selection has {0} characters, and all of it is sent.', numberText(length));
}

async function wantsLong(detail: string): Promise<boolean> {
  const send = vscode.l10n.t('Send all of it');
  const text = vscode.l10n.t('Send such a long selection?');
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, send)) === send;
}

/** The agent is told the same in the prompt, where nobody looks before it goes. */
function unseenWords(selections: readonly SelectedText[]): string | undefined {
  return selections.some(({ notes }) => notes.some(isNotVisible))
    ? vscode.l10n.t('In git this file is not as it is here, so the agent sees only what is selected.')
    : undefined;
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
      ? vscode.l10n.t('{0}, line {1}', name, first.startLine)
      : vscode.l10n.t('{0}, lines {1}–{2}', name, first.startLine, first.endLine);
  return selections.length === 1 ? place : vscode.l10n.t('{0} and {1} more', place, selections.length - 1);
}
