import type { TrackedJob } from '../../jobs/trackedJob';
import { readSelection } from './arguments';
import { type CreateJobOptions, newJobTitle } from './createJob';
import { selectionLabel, selectionPrompt, sendWithInstruction, takeSelections } from './selectionInstruction';

/** New job from the selected text, with an instruction or as it is. */
export async function createJobFromSelection(
  { projects, prompts, sender, composer }: CreateJobOptions,
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const selections = takeSelections();
  const given = readSelection(argument);
  const home = selections === undefined ? undefined : await projects.choose(given?.project);
  if (selections === undefined || home === undefined) {
    return undefined;
  }
  const title = newJobTitle(home, selectionLabel(selections));
  const compose = (instruction: string): Promise<unknown> =>
    composer.openForHome(home, selectionPrompt(instruction, selections));
  const request = { title, draft: 'new job from selection', instruction: given?.instruction, compose };
  return sendWithInstruction(prompts, request, (instruction) =>
    sender.create(home, selectionPrompt(instruction, selections)),
  );
}
