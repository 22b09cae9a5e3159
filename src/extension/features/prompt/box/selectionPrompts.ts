import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { promptWithSelections, type SelectedText } from '../../../../prompt/promptText';
import { namedText, reader } from '../../../platform/commandArguments';
import { numberText } from '../../../platform/numberText';
import { toLabel } from '../../../platform/sanitize';
import { SEND_TIMES, type SendTime } from '../../../platform/sendTime';
import { jobFolder } from '../../../sending/drafts';
import { toOtherTime, getFollowUpTexts } from '../../../sending/followUps';
import type { PromptTarget } from '../../../sending/sendPrompt';
import { followUpTitle } from '../composer/promptTargets';
import { selectionsOf, type TakenSelection, withNotes } from '../context/selections';
import type { PromptApp } from '../register';
import type { PromptBoxOptions } from './promptBox';
import { chooseForFollowUp, followUpTarget, newJobDraft, newJobTarget, newJobTitle } from './promptCommands';

/** Longer selections, in characters, are probably not meant to be sent without another look. */
const LONG = 20_000;

type SelectionRequest = PromptTarget &
  Required<Pick<PromptBoxOptions, 'compose'>> &
  Pick<PromptBoxOptions, 'title' | 'draft' | 'hint' | 'other'> & {
    selections: readonly TakenSelection[];
    /** What to do with the selection. When undefined, the user is asked; empty when the location says enough. */
    instruction: string | undefined;
    time?: SendTime | undefined;
  };

const readSelection = reader(
  z.object({
    instruction: z.optional(z.string()),
    project: z.optional(namedText),
    jobId: z.optional(namedText),
    when: z.optional(z.enum(SEND_TIMES)),
  }),
);

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

/** Sends the selections with the instruction, asking for one when none is given. Undefined when the user cancelled. */
async function sendWithInstruction(
  { prompts, notesOf }: PromptApp,
  { instruction, time, selections, hint, compose, save, ...rest }: SelectionRequest,
): Promise<TrackedJob | undefined> {
  // Selections are never shortened, because the user could not see what would be left out.
  const toPrompt = async (typed: string): Promise<string> =>
    promptWithSelections(typed, await withNotes(selections, notesOf));
  const target = { ...rest, toPrompt, compose: async (typed: string) => compose(await toPrompt(typed)) };
  if (instruction !== undefined) {
    return prompts.send({ ...target, save, text: instruction, time: time ?? 'now', isFromProgram: true });
  }
  const length = selections.reduce((sum, { text }) => sum + text.length, 0);
  const size =
    length > LONG
      ? vscode.l10n.t('The selection has {0} characters, and all of them will be sent.', numberText(length))
      : undefined;
  return prompts.ask({
    ...target,
    placeholder: vscode.l10n.t('What should the agent do? If empty, it gets only the selection and its location'),
    hint: [size, hint].filter((each) => each !== undefined).join(' '),
    allowEmpty: true,
    save: async (prompt, chosen = time) =>
      size === undefined || (await confirmLongSelection(size)) ? save(prompt, chosen) : undefined,
  });
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
export async function createJobFromSelection(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const selections = getSelectionsOrWarn();
  const given = readSelection(argument);
  const location = selections === undefined ? undefined : await options.projects.choose(given?.project);
  if (selections === undefined || location === undefined) {
    return undefined;
  }
  return sendWithInstruction(options, {
    ...newJobTarget(options, location),
    selections,
    instruction: given?.instruction,
    title: newJobTitle(location, selectionLabel(selections)),
    draft: newJobDraft(location, 'selection'),
  });
}

/** Sends a follow-up made from the selected text. */
export async function sendFollowUpFromSelection(
  options: PromptApp,
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const selections = getSelectionsOrWarn();
  const given = readSelection(argument);
  const isForeign = given?.instruction !== undefined;
  const job = selections === undefined ? undefined : await chooseForFollowUp(options.picker, given?.jobId, isForeign);
  if (selections === undefined || job === undefined) {
    return undefined;
  }
  const { hint, sendLater } = getFollowUpTexts(job);
  return sendWithInstruction(options, {
    ...followUpTarget(options, job),
    selections,
    instruction: given?.instruction,
    time: given?.when,
    title: followUpTitle(job),
    draft: `${jobFolder(job.key)}/selection`,
    hint,
    other: toOtherTime(sendLater),
  });
}
