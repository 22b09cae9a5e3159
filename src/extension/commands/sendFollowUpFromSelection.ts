import type { TrackedJob } from '../../jobs/trackedJob';
import type { NotesOf } from '../prompt/context/notesOf';
import { readSelection } from './arguments';
import { selectionPrompt, sendWithInstruction, takeSelections } from './selectionInstruction';
import { followUpWords, keepFollowUp } from '../prompt/whenToSend';
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
  const { effect: hint, sendLater: later } = followUpWords(job);
  const whole = (instruction: string): Promise<string> => selectionPrompt(instruction, selections, notesOf);
  const compose = async (instruction: string): Promise<unknown> => composer.openForJob(job, await whole(instruction));
  const request = { title, draft, instruction: given?.instruction, hint, later, home: job.home, whole, compose };
  const said = given?.instruction === undefined ? given?.when : (given.when ?? 'now');
  return sendWithInstruction(prompts, request, (prompt, isLater) =>
    keepFollowUp(options, job, prompt, isLater ? 'ended' : said),
  );
}
