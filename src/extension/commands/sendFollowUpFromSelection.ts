import type { TrackedJob } from '../../jobs/trackedJob';
import type { NotesOf } from '../prompt/visibility/notesOf';
import { readSelection } from './arguments';
import { sendWithInstruction, takeSelections } from './selectionInstruction';
import type { Keep } from '../prompt/promptBox';
import { atEnd, followUpWords, keepFollowUp } from '../prompt/whenToSend';
import { type SendFollowUpOptions, chooseForFollowUp, followUpTitle } from './sendFollowUp';

/** A further prompt made of the selected text. */
export async function sendFollowUpFromSelection(
  options: SendFollowUpOptions & { notesOf: NotesOf },
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const { picker, prompts, composer, notesOf } = options;
  const selections = takeSelections();
  const given = readSelection(argument);
  const job = selections === undefined ? undefined : await chooseForFollowUp(picker, given?.jobId);
  if (selections === undefined || job === undefined) {
    return undefined;
  }
  const draft = `follow-up from selection ${job.key}`;
  const title = followUpTitle(job);
  const { effect: hint, sendLater } = followUpWords(job);
  const other = atEnd(sendLater);
  const compose = (prompt: string): Promise<unknown> => composer.openForJob(job, prompt);
  const what = { selections, notesOf, instruction: given?.instruction };
  const request = { ...what, title, draft, hint, other, home: job.home, compose };
  const typed: Keep<TrackedJob> = (prompt, said) => keepFollowUp(options, job, prompt, said ?? given?.when);
  const named: Keep<TrackedJob> = (prompt) => keepFollowUp(options, job, prompt, given?.when ?? 'now');
  return sendWithInstruction(prompts, request, typed, named);
}
