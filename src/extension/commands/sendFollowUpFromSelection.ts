import type { TrackedJob } from '../../jobs/trackedJob';
import { readSelection } from './arguments';
import { askWithSelections } from './selectionInstruction';
import { type SendFollowUpOptions, chooseForFollowUp, followUpTitle, interruptHint } from './sendFollowUp';

/** A further prompt made of the selected text. */
export async function sendFollowUpFromSelection(
  { picker, prompts, sender }: SendFollowUpOptions,
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const given = readSelection(argument);
  const job = await chooseForFollowUp(picker, given?.jobId);
  if (job === undefined) {
    return undefined;
  }
  const draft = `follow-up from selection ${job.key}`;
  const prompt = await askWithSelections(prompts, {
    title: followUpTitle(job),
    draft,
    instruction: given?.instruction,
    hint: interruptHint(job),
  });
  if (prompt === undefined) {
    return undefined;
  }
  const followed = await sender.followUp(job, prompt);
  prompts.forget(draft);
  return followed;
}
