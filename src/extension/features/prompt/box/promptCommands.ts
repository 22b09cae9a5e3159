import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { isBlank } from '../../../../base/text';
import { LOCAL_SERVICE, type ServiceLocation } from '../../../../jobs/events';
import { followUpObstacle, promptToRetry } from '../../../../jobs/jobStatus';
import { firstPrompt, type TrackedJob } from '../../../../jobs/trackedJob';
import { serviceName } from '../../../platform/apiKeys';
import { namedText, reader, readJobName } from '../../../platform/commandArguments';
import { firstLine, toLabel, toPickLabel } from '../../../platform/sanitize';
import { SEND_TIMES } from '../../../platform/sendTime';
import type { JobPicker } from '../../../presentation/jobPicker';
import { projectLabel } from '../../../presentation/jobText';
import { BOX, followUpDraft, jobFolder, projectFolder } from '../../../sending/drafts';
import { type FollowUpParts, toOtherTime, getFollowUpTexts, saveFollowUp } from '../../../sending/followUps';
import type { Sending } from '../../../sending/sender';
import type { PromptTarget } from '../../../sending/sendPrompt';
import { settings } from '../../../settings';
import { promptFolder } from '../composer/promptFiles';
import { type DraftTarget, followUpTitle } from '../composer/promptTargets';
import type { PromptApp } from '../register';
import { openDraft } from './contextInserter';
import type { PromptBoxOptions } from './promptBox';

const readCreate = reader(z.object({ prompt: z.optional(z.string()), project: z.optional(namedText) }));

/** Creates a job from a prompt that is typed or passed in. */
export async function createJob(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readCreate(argument);
  if (given?.prompt !== undefined && isBlank(given.prompt)) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Enter a prompt.'));
    return undefined;
  }
  const location = await options.projects.choose(given?.project);
  if (location === undefined) {
    return undefined;
  }
  return given?.prompt === undefined
    ? askForJob(options, location)
    : options.prompts.send({ ...newJobTarget(options, location), text: given.prompt, isFromProgram: true });
}

function askForJob(options: PromptApp, location: ServiceLocation): Promise<TrackedJob | undefined> {
  const placeholder = vscode.l10n.t('What should be documented? For example: explain the retry policy in the guide');
  const target = newJobTarget(options, location);
  return options.prompts.ask({ ...target, title: newJobTitle(location), placeholder, draft: newJobDraft(location) });
}

/** Opens the box with what was typed for a target. The page of a job that takes no follow-up still has the text. */
export async function openBox(options: PromptApp, { job, location }: DraftTarget): Promise<void> {
  if (job === undefined) {
    await (location && askForJob(options, location));
    return;
  }
  const command = followUpObstacle(job) === undefined ? 'docsAgent.sendFollowUp' : 'docsAgent.showJob';
  await vscode.commands.executeCommand(command, job.key);
}

/** Where a new job is saved. */
export function newJobTarget(
  { composer, sender }: PromptApp,
  location: ServiceLocation,
): PromptTarget & Required<Pick<PromptBoxOptions, 'compose'>> {
  return {
    location,
    compose: (text) => composer.openForLocation(location, text),
    save: (prompt) => sender.create(location, prompt),
  };
}

/** Each project has its own draft: what was typed for a private one must not be offered for another. */
export function newJobDraft(location: ServiceLocation, box = BOX): string {
  return `${projectFolder(location)}/${box}`;
}

/**
 * Names the target and the attached text, so that no one sends to another project, or sends other text, than intended.
 */
export function newJobTitle(location: ServiceLocation, selection?: string): string {
  const project = toLabel(location.projectName ?? location.projectId, 50);
  const title = vscode.l10n.t('New job for {0} ({1})', project, serviceName(location.service));
  return selection === undefined ? title : vscode.l10n.t('{0} from {1}', title, selection);
}

const when = z.optional(z.enum(SEND_TIMES));
const readFollowUp = reader(z.object({ jobId: z.optional(namedText), prompt: z.optional(z.string()), when }));

/** Sends a follow-up prompt to a job that exists at the service. */
export async function sendFollowUp(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const given = readFollowUp(argument);
  if (given?.prompt !== undefined && isBlank(given.prompt)) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Enter a prompt.'));
    return undefined;
  }
  const isForeign = given?.prompt !== undefined;
  const job = await chooseForFollowUp(options.picker, readJobName(argument) ?? given?.jobId, isForeign);
  if (job === undefined) {
    return undefined;
  }
  const target = followUpTarget(options, job);
  if (given?.prompt !== undefined) {
    return options.prompts.send({ ...target, text: given.prompt, time: given.when ?? 'now', isFromProgram: true });
  }
  const { hint, sendLater } = getFollowUpTexts(job);
  return options.prompts.ask({
    ...target,
    title: followUpTitle(job),
    placeholder: vscode.l10n.t('What should the agent change or add?'),
    hint,
    other: toOtherTime(sendLater),
    draft: followUpDraft(job.key),
    save: (prompt, time = given?.when) => target.save(prompt, time),
    ...withComments(options, job, hint),
  });
}

/** Where a follow-up to a job is saved. */
export function followUpTarget(
  options: FollowUpParts & Pick<PromptApp, 'composer'>,
  job: TrackedJob,
): PromptTarget & Required<Pick<PromptBoxOptions, 'compose'>> {
  return {
    location: job.location,
    compose: (text) => options.composer.openForJob(job, text),
    save: (prompt, time) => saveFollowUp(options, job, prompt, time),
  };
}

/** A follow-up that a person types takes the comments on the job's changes along, and may consist of them. */
function withComments(
  { counts, takeComments, composer }: PromptApp,
  job: TrackedJob,
  about: string,
): Partial<PromptBoxOptions> {
  const count = counts.get(job.key);
  if (count === 0) {
    return {};
  }
  const comments =
    count === 1
      ? vscode.l10n.t('Your review comment is included.')
      : vscode.l10n.t('Your {0} review comments are included.', count);
  const toPrompt = async (typed: string): Promise<string> =>
    [typed, await takeComments(job)].filter((text) => !isBlank(text)).join('\n\n');
  return {
    hint: [about, comments].join(' ').trim(),
    allowEmpty: true,
    toPrompt,
    compose: async (typed) => composer.openForJob(job, await toPrompt(typed)),
  };
}

/** Sends a text to a job without a box. If that fails or is refused, nothing of it is lost. */
export function sendFollowUpText(
  options: Pick<PromptApp, 'store' | 'sender' | 'prompts' | 'composer'>,
  job: TrackedJob,
  text: string,
): Promise<TrackedJob | undefined> {
  return options.prompts.send({ ...followUpTarget(options, job), text });
}

export function chooseForFollowUp(
  picker: JobPicker,
  name: string | undefined,
  isForeign = false,
): Promise<TrackedJob | undefined> {
  return picker.choose(name, 'sendFollowUp', { isForeign });
}

const readComposed = reader(z.object({ jobId: z.optional(namedText), text: z.optional(z.string()) }));

/**
 * Opens an editor document for the prompt of a new job, or of a follow-up to the given job. Without a text, the user
 * chooses between the drafts and a new prompt, if there are drafts.
 */
export async function composePrompt(options: PromptApp, argument: unknown): Promise<void> {
  const { composer, projects, picker } = options;
  const given = readComposed(argument);
  if (given?.jobId !== undefined) {
    const job = await chooseForFollowUp(picker, given.jobId);
    await (job && composer.openForJob(job, given.text));
    return;
  }
  const location = await projects.choose();
  if (location === undefined || !isBlank(given?.text ?? '')) {
    await (location && composer.openForLocation(location, given?.text));
    return;
  }
  await openDraft(composer, location, {
    placeHolder: vscode.l10n.t('Select a draft to continue, or start a new prompt'),
    describe: ({ text }, description) => ({ label: toPickLabel(firstLine(text)), description }),
  });
}

/** The URI of the prompt document to send, and when to send it. */
const readDocument = reader(z.object({ prompt: z.optional(namedText), when }));

/**
 * Sends the prompt with the given address (editor menus pass one), or the current one. Asks whether it may interrupt a
 * running job, unless the argument says when to send.
 */
export async function sendComposed(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const { composer } = options;
  const uri = argument instanceof vscode.Uri ? argument : addressOf(readDocument(argument)?.prompt);
  const named = uri !== undefined && promptFolder(uri) !== undefined ? uri : undefined;
  const document = named === undefined ? composer.active : await vscode.workspace.openTextDocument(named);
  if (document === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a prompt first with “Compose Prompt”.'));
    return undefined;
  }
  const { confirmQuestions } = await import('../templates/templates');
  const isWanted = await confirmQuestions(options, document);
  return isWanted ? (await composer.send(document, readDocument(argument)?.when))?.finished : undefined;
}

function addressOf(uri: string | undefined): vscode.Uri | undefined {
  return uri === undefined ? undefined : vscode.Uri.parse(uri, true);
}

/** Sends the last prompt of a failed or stopped job again, as a follow-up, like every prompt that a person sends. */
export async function retryJob(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const { picker, prompts } = options;
  const job = await picker.choose(readJobName(argument), 'retryJob');
  const last = job && promptToRetry(job);
  if (job === undefined || last === undefined || retried.has(job.key)) {
    return undefined;
  }
  const target = followUpTarget(options, job);
  const save = (prompt: string): Promise<Sending | undefined> =>
    target.save(prompt).finally(() => retried.delete(job.key));
  // Until the prompt is recorded, another click would send it again.
  retried.add(job.key);
  try {
    return await prompts.send({ ...target, save, text: last.text });
  } finally {
    retried.delete(job.key);
  }
}

/** The jobs that are about to be tried again. */
const retried = new Set<string>();

/** Opens the box for a new job with the job's first prompt. */
export async function duplicateJob(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const { picker, prompts } = options;
  const job = await picker.choose(readJobName(argument), 'duplicateJob');
  const first = job && firstPrompt(job);
  const location = first && (await placeForCopy(options, job.location));
  if (job === undefined || first === undefined || location === undefined) {
    return undefined;
  }
  return prompts.ask({
    ...newJobTarget(options, location),
    title: newJobTitle(location),
    placeholder: vscode.l10n.t('What should the agent do?'),
    value: first.text,
    draft: `${jobFolder(job.key)}/duplicate`,
  });
}

/** Returns the job's own project, or the one for new jobs if that is another one and the user wants it. */
async function placeForCopy(
  { projects, windowProjects }: PromptApp,
  own: ServiceLocation,
): Promise<ServiceLocation | undefined> {
  const service = settings.usesLocalService() ? LOCAL_SERVICE : projects.hostedService(true)?.origin;
  if (own.service === service && (windowProjects.has(own) || settings.projectId() === own.projectId)) {
    return own;
  }
  const present = {
    label: vscode.l10n.t('Project for new jobs'),
    description: service === undefined ? '' : serviceName(service),
  };
  const before = { label: projectLabel({ location: own }), description: serviceName(own.service) };
  const title = vscode.l10n.t('Duplicate job in…');
  const choice = await vscode.window.showQuickPick([present, before], { title });
  return choice === present ? projects.choose() : choice && own;
}
