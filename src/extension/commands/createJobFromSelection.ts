import type { TrackedJob } from '../../jobs/trackedJob';
import { readSelection } from './arguments';
import { type CreateJobOptions, newJobTitle } from './createJob';
import { askForInstruction, selectionLabel, selectionPrompt, takeSelections } from './selectionInstruction';

/** New job from the selected text, with an instruction or as it is. */
export async function createJobFromSelection(
  { projects, prompts, sender }: CreateJobOptions,
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const selections = takeSelections();
  const given = readSelection(argument);
  const draft = 'new job from selection';
  const home = selections === undefined ? undefined : await projects.choose(given?.project);
  if (selections === undefined || home === undefined) {
    return undefined;
  }
  const request = { title: newJobTitle(home, selectionLabel(selections)), draft, instruction: given?.instruction };
  const instruction = await askForInstruction(prompts, request);
  if (instruction === undefined) {
    return undefined;
  }
  const prompt = selectionPrompt(instruction, selections);
  return (await prompts.holding(draft, instruction, () => sender.create(home, prompt))).finished;
}
