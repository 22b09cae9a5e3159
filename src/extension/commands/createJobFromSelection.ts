import type { TrackedJob } from '../../jobs/trackedJob';
import type { NotesOf } from '../prompt/context/notesOf';
import { readSelection } from './arguments';
import { type CreateJobOptions, newJobTitle } from './createJob';
import { selectionLabel, selectionPrompt, sendWithInstruction, takeSelections } from './selectionInstruction';

/** New job from the selected text, with an instruction or as it is. */
export async function createJobFromSelection(
  { projects, prompts, sender, composer, notesOf }: CreateJobOptions & { notesOf: NotesOf },
  argument: unknown,
): Promise<TrackedJob | undefined> {
  const selections = takeSelections();
  const given = readSelection(argument);
  const home = selections === undefined ? undefined : await projects.choose(given?.project);
  if (selections === undefined || home === undefined) {
    return undefined;
  }
  const title = newJobTitle(home, selectionLabel(selections));
  const whole = (instruction: string): Promise<string> => selectionPrompt(instruction, selections, notesOf);
  const compose = async (instruction: string): Promise<unknown> => composer.openForHome(home, await whole(instruction));
  const request = { title, draft: 'new job from selection', instruction: given?.instruction, home, whole, compose };
  return sendWithInstruction(prompts, request, (prompt) => sender.create(home, prompt));
}
