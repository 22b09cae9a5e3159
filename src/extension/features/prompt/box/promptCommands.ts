import * as vscode from 'vscode';
import type { ServiceLocation } from '../../../../jobs/events';
import type { JobStore } from '../../../../jobs/jobStore';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { serviceName } from '../../../platform/apiKeys';
import {
  readCompose,
  readPromptToSend,
  readCreate,
  readFollowUp,
  readJobName,
} from '../../../platform/commandArguments';
import type { CommentCounts } from '../../../platform/commentCounts';
import { toLabel } from '../../../platform/sanitize';
import type { JobPicker } from '../../../presentation/jobPicker';
import { followUpDraft, projectFolder } from '../../../sending/drafts';
import { toOtherTime, getFollowUpTexts, saveFollowUp } from '../../../sending/followUps';
import type { Projects } from '../../../sending/projects';
import { SendCancelled } from '../../../sending/promptSession';
import type { Sender, Sending } from '../../../sending/sender';
import type { Composer } from '../composer/composer';
import { promptFolder } from '../composer/promptFiles';
import { followUpTitle } from '../composer/promptTargets';
import type { SavePrompt, PromptBox, PromptBoxOptions } from './promptBox';

export interface CreateJobOptions {
  projects: Projects;
  prompts: PromptBox;
  sender: Sender;
  composer: Composer;
}

/** Creates a job from a prompt that is typed or passed in. */
export async function createJob(options: CreateJobOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readCreate(argument);
  if (given?.prompt?.trim() === '') {
    void vscode.window.showWarningMessage(vscode.l10n.t('Enter a prompt.'));
    return undefined;
  }
  const home = await options.projects.choose(given?.project);
  if (home === undefined) {
    return undefined;
  }
  const box = {
    title: newJobTitle(home),
    placeholder: vscode.l10n.t('What should be documented? For example: explain the retry policy in the guide'),
    draft: newJobDraft(home),
    home,
    compose: (text: string) => options.composer.openForHome(home, text),
  };
  const keep = (prompt: string): Promise<Sending> => options.sender.create(home, prompt);
  return given?.prompt === undefined ? options.prompts.ask(box, keep) : options.prompts.given(given.prompt, box, keep);
}

/** Each project has its own draft: what was typed for a private one must not be offered for another. */
export function newJobDraft(home: ServiceLocation, box = 'box'): string {
  return `${projectFolder(home)}/${box}`;
}

/**
 * Names the target and the attached text, so that no one sends to another project, or sends other text, than intended.
 */
export function newJobTitle(home: ServiceLocation, selection?: string): string {
  const project = toLabel(home.projectName ?? home.projectId, 50);
  const title = vscode.l10n.t('New job for {0} ({1})', project, serviceName(home.service));
  return selection === undefined ? title : vscode.l10n.t('{0} from {1}', title, selection);
}

export interface SendFollowUpOptions {
  store: JobStore;
  picker: JobPicker;
  prompts: PromptBox;
  sender: Sender;
  composer: Composer;
  counts: Pick<CommentCounts, 'get'>;
  /** Returns the unsent comments on a job's changes as a prompt; empty if there are none. */
  takeComments: (job: TrackedJob) => Promise<string>;
}

/** Sends a follow-up prompt to a job that exists at the service. */
export async function sendFollowUp(options: SendFollowUpOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readFollowUp(argument);
  if (given?.prompt?.trim() === '') {
    void vscode.window.showWarningMessage(vscode.l10n.t('Enter a prompt.'));
    return undefined;
  }
  const isForeign = given?.prompt !== undefined;
  const job = await chooseForFollowUp(options.picker, readJobName(argument) ?? given?.jobId, isForeign);
  if (job === undefined) {
    return undefined;
  }
  const { effect, sendLater } = getFollowUpTexts(job);
  const box = {
    title: followUpTitle(job),
    placeholder: vscode.l10n.t('What should the agent change or add?'),
    hint: effect,
    other: toOtherTime(sendLater),
    home: job.home,
    draft: followUpDraft(job.key),
    compose: (text: string) => options.composer.openForJob(job, text),
  };
  const typed: SavePrompt<TrackedJob> = async (prompt, said) => {
    if (prompt === '') {
      // The comments that were to be included are being edited, or another window has sent them.
      throw new SendCancelled('stay');
    }
    return saveFollowUp(options, job, prompt, said ?? given?.when);
  };
  const named = (prompt: string): Promise<Sending> => saveFollowUp(options, job, prompt, given?.when ?? 'now');
  return given?.prompt === undefined
    ? options.prompts.ask({ ...box, ...withComments(options, job, effect) }, typed)
    : options.prompts.given(given.prompt, box, named);
}

/** A follow-up that a person types takes the comments on the job's changes along, and may consist of them. */
function withComments(
  { counts, takeComments, composer }: SendFollowUpOptions,
  job: TrackedJob,
  effect: string,
): Partial<PromptBoxOptions> {
  const count = counts.get(job.key);
  if (count === 0) {
    return {};
  }
  const comments =
    count === 1
      ? vscode.l10n.t('Your review comment is included.')
      : vscode.l10n.t('Your {0} review comments are included.', count);
  const whole = async (typed: string): Promise<string> =>
    [typed, await takeComments(job)].filter((text) => text.trim() !== '').join('\n\n');
  return {
    hint: [effect, comments].join(' ').trim(),
    allowEmpty: true,
    whole,
    compose: async (typed) => composer.openForJob(job, await whole(typed)),
  };
}

/** Sends a text to a job without a box. If that fails or is refused, nothing of it is lost. */
export function sendFollowUpText(
  options: Pick<SendFollowUpOptions, 'store' | 'sender' | 'prompts' | 'composer'>,
  job: TrackedJob,
  text: string,
): Promise<TrackedJob | undefined> {
  const box = {
    home: job.home,
    compose: (kept: string) => options.composer.openForJob(job, kept),
  };
  return options.prompts.resend(text, box, (prompt) => saveFollowUp(options, job, prompt));
}

export function chooseForFollowUp(
  picker: JobPicker,
  name: string | undefined,
  isForeign = false,
): Promise<TrackedJob | undefined> {
  return picker.choose(name, 'sendFollowUp', { isForeign });
}

export interface ComposeOptions {
  composer: Composer;
  projects: Projects;
  picker: JobPicker;
}

/** Opens an editor document for the prompt of a new job, or of a follow-up to the given job. */
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
 * Sends the prompt with the given address (editor menus pass one), or the current one. Asks whether it may interrupt a
 * running job, unless the argument says when to send.
 */
export async function sendComposed({ composer }: ComposeOptions, argument: unknown): Promise<TrackedJob | undefined> {
  const uri = argument instanceof vscode.Uri ? argument : addressOf(readPromptToSend(argument)?.prompt);
  const named = uri !== undefined && promptFolder(uri) !== undefined ? uri : undefined;
  const document = named === undefined ? composer.active : await vscode.workspace.openTextDocument(named);
  if (document === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a prompt first with “Compose Prompt”.'));
    return undefined;
  }
  return (await composer.send(document, readPromptToSend(argument)?.when))?.finished;
}

function addressOf(uri: string | undefined): vscode.Uri | undefined {
  return uri === undefined ? undefined : vscode.Uri.parse(uri, true);
}
