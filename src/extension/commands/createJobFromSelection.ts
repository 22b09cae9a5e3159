import type { TrackedJob } from '../../jobs/trackedJob';
import { readSelection } from './arguments';
import { type CreateJobOptions, newJobTitle } from './createJob';
import { askWithSelections } from './selectionInstruction';

/** New job from the selected text, with an instruction or as it is. */
export async function createJobFromSelection(
  { projects, prompts, sender }: CreateJobOptions,
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const given = readSelection(argument);
  const draft = 'new job from selection';
  const home = await projects.choose(given?.project);
  if (home === undefined) {
    return undefined;
  }
  const prompt = await askWithSelections(prompts, { title: newJobTitle(home), draft, instruction: given?.instruction });
  if (prompt === undefined) {
    return undefined;
  }
  const job = await sender.create(home, prompt);
  prompts.forget(draft);
  return job;
}
