import * as vscode from 'vscode';
import type { Home } from '../../jobs/events';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { Composer } from '../prompt/composer/composer';
import type { PromptBox } from '../prompt/promptBox';
import type { Sender, Sending } from '../sender';
import { serviceName } from '../services/apiKeys';
import type { Projects } from '../services/projects';
import { toLabel } from '../text';
import { readCreate } from './arguments';

export interface CreateJobOptions {
  projects: Projects;
  prompts: PromptBox;
  sender: Sender;
  composer: Composer;
}

/** New job from a prompt that is typed or given. */
export async function createJob(options: CreateJobOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readCreate(argument);
  if (given?.prompt?.trim() === '') {
    void vscode.window.showWarningMessage(vscode.l10n.t('An empty prompt is not sent.'));
    return undefined;
  }
  const home = await options.projects.choose(given?.project);
  if (home === undefined) {
    return undefined;
  }
  const box = {
    title: newJobTitle(home),
    placeholder: vscode.l10n.t('What should be documented? For example: explain the retry policy in the guide'),
    draft: 'new job',
    home,
    compose: (text: string) => options.composer.openForHome(home, text),
  };
  const keep = (prompt: string): Promise<Sending> => options.sender.create(home, prompt);
  return given?.prompt === undefined ? options.prompts.ask(box, keep) : options.prompts.given(given.prompt, box, keep);
}

/** Names the target, and what goes along: nobody is to send to another project, or other text, than they think. */
export function newJobTitle(home: Home, selection?: string): string {
  const project = toLabel(home.projectName ?? home.projectId, 50);
  const title = vscode.l10n.t('New job for {0} ({1})', project, serviceName(home.service));
  return selection === undefined ? title : vscode.l10n.t('{0} from {1}', title, selection);
}
