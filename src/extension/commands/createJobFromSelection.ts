import type { TrackedJob } from '../../jobs/trackedJob';
import type { NotesOf } from '../prompt/visibility/notesOf';
import { readSelection } from './arguments';
import { type CreateJobOptions, newJobTitle } from './createJob';
import { selectionLabel, sendWithInstruction, takeSelections } from './selectionInstruction';

/** New job from the selected text and its place, with an instruction or without. */
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
  const compose = (prompt: string): Promise<unknown> => composer.openForHome(home, prompt);
  const what = { selections, notesOf, instruction: given?.instruction };
  const request = { ...what, title, draft: 'new job from selection', home, compose };
  return sendWithInstruction(prompts, request, (prompt) => sender.create(home, prompt));
}
