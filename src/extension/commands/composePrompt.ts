import * as vscode from 'vscode';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { JobPicker } from '../jobPicker';
import type { Composer } from '../prompt/composer/composer';
import { readTarget } from '../prompt/composer/composerTarget';
import type { Projects } from '../services/projects';
import { readCompose, readComposed } from './arguments';
import { chooseForFollowUp } from './sendFollowUp';

export interface ComposeOptions {
  composer: Composer;
  projects: Projects;
  picker: JobPicker;
}

/** Opens the prompt for a new job, or for a follow-up to the job that is named, as a document of the editor. */
export async function composePrompt(options: ComposeOptions, argument: unknown): Promise<void> {
  const { composer, projects, picker } = options;
  const given = readCompose(argument);
  if (given?.jobId !== undefined) {
    const job = await chooseForFollowUp(picker, given.jobId);
    await (job && composer.openForJob(job, given.text));
    return;
  }
  const home = await projects.choose();
  await (home && composer.openForHome(home, given?.text));
}

/**
 * Sends the prompt whose address is given, as menus of the editor do, or the one at hand. Whether it may interrupt a
 * running job is asked unless the argument says when it is to go.
 */
export async function sendComposed({ composer }: ComposeOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const uri = argument instanceof vscode.Uri ? argument : addressOf(readComposed(argument)?.prompt);
  const named = uri !== undefined && readTarget(uri) !== undefined ? uri : undefined;
  const document = named === undefined ? composer.active : await vscode.workspace.openTextDocument(named);
  if (document === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a prompt first, with “Compose Prompt”.'));
    return undefined;
  }
  return (await composer.send(document, readComposed(argument)?.when))?.finished;
}

function addressOf(uri: string | undefined): vscode.Uri | undefined {
  return uri === undefined ? undefined : vscode.Uri.parse(uri, true);
}
