import type { TrackedJob } from '../../jobs/trackedJob';
import type { NotesOf } from '../prompt/context/notesOf';
import { readSelection } from './arguments';
import { selectionPrompt, sendWithInstruction, takeSelections } from './selectionInstruction';
import { type SendFollowUpOptions, chooseForFollowUp, followUpTitle, interruptHint } from './sendFollowUp';

/** A further prompt made of the selected text. */
export async function sendFollowUpFromSelection(
  { picker, prompts, sender, composer, notesOf }: SendFollowUpOptions & { notesOf: NotesOf },
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const selections = takeSelections();
  const given = readSelection(argument);
  const job = selections === undefined ? undefined : await chooseForFollowUp(picker, given?.jobId);
  if (selections === undefined || job === undefined) {
    return undefined;
  }
  const draft = `follow-up from selection ${job.key}`;
  const [title, hint] = [followUpTitle(job), interruptHint(job)];
  const whole = (instruction: string): Promise<string> => selectionPrompt(instruction, selections, notesOf);
  const compose = async (instruction: string): Promise<unknown> => composer.openForJob(job, await whole(instruction));
  const request = { title, draft, instruction: given?.instruction, hint, home: job.home, whole, compose };
  return sendWithInstruction(prompts, request, (prompt) => sender.followUp(job, prompt));
}
