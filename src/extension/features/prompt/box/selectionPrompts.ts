import * as vscode from 'vscode';
import type { ServiceLocation } from '../../../../jobs/events';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import {
  isLongSelection,
  promptWithSelections,
  type SelectedText,
  selectionLength,
} from '../../../../prompt/promptText';
import { readSelection } from '../../../platform/commandArguments';
import { numberText } from '../../../platform/numberText';
import { toLabel } from '../../../platform/sanitize';
import { jobFolder } from '../../../sending/drafts';
import { toOtherTime, getFollowUpTexts, saveFollowUp } from '../../../sending/followUps';
import { type OtherTime, SendCancelled } from '../../../sending/promptSession';
import { followUpTitle } from '../composer/promptTargets';
import type { NotesOf } from '../context/permalinks';
import { selectionsOf, type TakenSelection, withNotes } from '../context/selections';
import type { SavePrompt, PromptBox } from './promptBox';
import {
  chooseForFollowUp,
  type CreateJobOptions,
  newJobDraft,
  newJobTitle,
  type SendFollowUpOptions,
} from './promptCommands';

export interface SelectionRequest {
  title: string;
  draft: string;
  selections: readonly TakenSelection[];
  notesOf: NotesOf;
  /** What to do with the selection. When undefined, the user is asked; empty when the location says enough. */
  instruction: string | undefined;
  hint?: string | undefined;
  /** A second way to send. */
  other?: OtherTime | undefined;
  /** Where the prompt goes. */
  home: ServiceLocation;
  /** Continues with the prompt in the editor. */
  compose: (prompt: string) => Promise<unknown>;
}

/**
 * Returns the current selections, or undefined (after a warning) when nothing is selected. Call this before asking
 * anything: the selection may change while a box is open.
 */
function getSelectionsOrWarn(): TakenSelection[] | undefined {
  const selections = selectionsOf(vscode.window.activeTextEditor);
  if (selections.length > 0) {
    return selections;
  }
  void vscode.window.showWarningMessage(vscode.l10n.t('Select text in the editor first.'));
  return undefined;
}

/**
 * Sends the selections with the instruction, asking for one when none is given. Undefined when the user cancelled.
 *
 * @param named saves the prompt when the instruction was passed in
 */
async function sendWithInstruction(
  prompts: PromptBox,
  { instruction, selections, notesOf, hint, compose, ...rest }: SelectionRequest,
  keep: SavePrompt<TrackedJob>,
  named = keep,
): Promise<TrackedJob | undefined> {
  // Selections are never shortened, because the user could not see what would be left out.
  const whole = async (typed: string): Promise<string> =>
    promptWithSelections(typed, await withNotes(selections, notesOf));
  const size = isLongSelection(selections) ? longSelectionText(selectionLength(selections)) : undefined;
  const box = {
    ...rest,
    placeholder: vscode.l10n.t('What should the agent do? If empty, it gets only the selection and its location'),
    hint: [size, hint].filter((each) => each !== undefined).join(' ') || undefined,
    whole,
    compose: async (typed: string) => compose(await whole(typed)),
    allowEmpty: true,
  };
  if (instruction !== undefined) {
    return prompts.given(instruction, box, named);
  }
  return prompts.ask(box, async (prompt, said) => {
    if (size !== undefined && !(await confirmLongSelection(size))) {
      throw new SendCancelled('stay');
    }
    return keep(prompt, said);
  });
}

function longSelectionText(length: number): string {
  return vscode.l10n.t('The selection has {0} characters, and all of them will be sent.', numberText(length));
}

async function confirmLongSelection(detail: string): Promise<boolean> {
  const send = vscode.l10n.t('Send All');
  const text = vscode.l10n.t('Send this long selection?');
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, send)) === send;
}

/** Locations of the selections, for a title that shows what is about to be sent. */
function selectionLabel(selections: readonly SelectedText[]): string {
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

/** Creates a job from the selected text and its location, with or without an instruction. */
export async function createJobFromSelection(
  { projects, prompts, sender, composer, notesOf }: CreateJobOptions & { notesOf: NotesOf },
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const selections = getSelectionsOrWarn();
  const given = readSelection(argument);
  const home = selections === undefined ? undefined : await projects.choose(given?.project);
  if (selections === undefined || home === undefined) {
    return undefined;
  }
  const title = newJobTitle(home, selectionLabel(selections));
  const compose = (prompt: string): Promise<unknown> => composer.openForHome(home, prompt);
  const what = { selections, notesOf, instruction: given?.instruction };
  const request = { ...what, title, draft: newJobDraft(home, 'selection'), home, compose };
  return sendWithInstruction(prompts, request, (prompt) => sender.create(home, prompt));
}

/** Sends a follow-up made from the selected text. */
export async function sendFollowUpFromSelection(
  options: SendFollowUpOptions & { notesOf: NotesOf },
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const { picker, prompts, composer, notesOf } = options;
  const selections = getSelectionsOrWarn();
  const given = readSelection(argument);
  const isForeign = given?.instruction !== undefined;
  const job = selections === undefined ? undefined : await chooseForFollowUp(picker, given?.jobId, isForeign);
  if (selections === undefined || job === undefined) {
    return undefined;
  }
  const draft = `${jobFolder(job.key)}/selection`;
  const title = followUpTitle(job);
  const { effect: hint, sendLater } = getFollowUpTexts(job);
  const other = toOtherTime(sendLater);
  const compose = (prompt: string): Promise<unknown> => composer.openForJob(job, prompt);
  const what = { selections, notesOf, instruction: given?.instruction };
  const request = { ...what, title, draft, hint, other, home: job.home, compose };
  const typed: SavePrompt<TrackedJob> = (prompt, said) => saveFollowUp(options, job, prompt, said ?? given?.when);
  const named: SavePrompt<TrackedJob> = (prompt) => saveFollowUp(options, job, prompt, given?.when ?? 'now');
  return sendWithInstruction(prompts, request, typed, named);
}
