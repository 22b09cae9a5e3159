import * as vscode from 'vscode';
import type { JobStore } from '../../../../jobs/jobStore';
import { mayNeedProject, type OutgoingPrompt, type TrackedJob } from '../../../../jobs/trackedJob';
import { isHeld, waitsForRun } from '../../../../jobs/waiting';
import { readSend } from '../../../platform/commandArguments';
import { toLabel } from '../../../platform/sanitize';
import type { SendTime } from '../../../platform/sendTime';
import { jobFolder } from '../../../sending/drafts';
import { jobTitle } from '../../../presentation/jobText';
import { waitingLook } from '../../../presentation/waiting';
import { type OtherTime, toOtherTime, getFollowUpTexts, interrupts, whenToSend } from '../../../sending/followUps';
import type { PromptApp } from '../register';
import { newJobTitle } from './promptCommands';

/** Resends a prompt that was not accepted, unchanged. */
export async function sendAgain(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const found = find(options.store, argument);
  if (found === undefined || (found.prompt.state === 'unconfirmed' && !(await confirmDuplicate(found.prompt)))) {
    return undefined;
  }
  const time = await getResendTime(found.job, found.prompt);
  return time && (await options.sender.again(found.job, found.prompt, { time })).finished;
}

/** Does not ask again about a prompt that the user has already agreed to send and that is only waiting to be sent. */
async function getResendTime(job: TrackedJob, prompt: OutgoingPrompt): Promise<SendTime | undefined> {
  const waits = waitsForRun(prompt);
  const isOpen = prompt.state === 'unconfirmed' || prompt.state === 'rejected';
  return waits || isOpen ? timeFor(job, prompt, waits) : 'now';
}

/** Skips the question for an unconfirmed prompt: the user was already asked whether the agent may have it. */
async function timeFor(job: TrackedJob, prompt: OutgoingPrompt, waits = false): Promise<SendTime | undefined> {
  const wasAsked = prompt.state === 'unconfirmed' && !interrupts(job);
  return prompt.kind === 'create' || wasAsked ? 'now' : whenToSend(job, waits);
}

/**
 * A prompt that may have arrived could take effect twice. Asks in a modal, because the user has just requested the
 * resend.
 */
async function confirmDuplicate({ kind }: OutgoingPrompt): Promise<boolean> {
  const text = kind === 'create' ? vscode.l10n.t('Resend this prompt?') : vscode.l10n.t('Resend this follow-up?');
  const detail =
    kind === 'create'
      ? vscode.l10n.t('The service didn’t respond, so the job may already exist. Resending could create a duplicate.')
      : vscode.l10n.t('The service didn’t respond, so the agent may get this follow-up twice.');
  const again = vscode.l10n.t('Resend');
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, again)) === again;
}

/** Opens the prompt for editing and sends the result. */
export async function editAndSend(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const found = find(options.store, argument);
  if (found === undefined) {
    return undefined;
  }
  const { job, prompt } = found;
  if (prompt.state === 'unconfirmed' && !(await confirmDuplicate(prompt))) {
    return undefined;
  }
  const { hint, other, enter } = editBoxTexts(job, prompt);
  return options.prompts.ask({
    title: vscode.l10n.t('Edit and send “{0}”', toLabel(jobTitle(job), 50)),
    placeholder: vscode.l10n.t('What should the agent do?'),
    value: prompt.text,
    hint,
    other,
    location: job.location,
    draft: `${jobFolder(job.key)}/edit ${prompt.id}`,
    save: async (text, chosen = enter) => {
      const now = options.store.get(job.key) ?? job;
      const time = chosen ?? (await timeFor(now, prompt));
      return time && options.sender.again(now, prompt, { text, time });
    },
  });
}

/** Sends a prompt to another project, because its service has none with that ID, or denies it. */
export async function changeProject(options: PromptApp, argument: unknown): Promise<TrackedJob | undefined> {
  const found = find(options.store, argument);
  const to = found && mayNeedProject(found.prompt) ? await options.projects.change(found.job.location) : undefined;
  if (found === undefined || to === undefined) {
    return undefined;
  }
  const { job, prompt } = found;
  if (to.service === job.location.service) {
    return (await options.sender.again(job, prompt, { to })).finished;
  }
  // It was written for another service, so the user sees which one gets it.
  return options.prompts.ask({
    title: newJobTitle(to),
    placeholder: vscode.l10n.t('What should the agent do?'),
    value: prompt.text,
    location: to,
    draft: `${jobFolder(job.key)}/edit ${prompt.id}`,
    save: (text) => options.sender.again(job, prompt, { text, to }),
  });
}

interface EditBoxTexts {
  hint?: string | undefined;
  other?: OtherTime | undefined;
  /** The send time that Enter stands for; undefined when the user is to be asked or when it is clear. */
  enter?: SendTime;
}

/** A queued prompt keeps its place when its text changes; a held prompt is sent once the user has fixed it. */
function editBoxTexts(job: TrackedJob, prompt: OutgoingPrompt): EditBoxTexts {
  if (prompt.kind === 'create') {
    return {};
  }
  const { hint, sendLater } = getFollowUpTexts(job);
  if (!waitsForRun(prompt) || isHeld(prompt)) {
    return { hint, other: toOtherTime(sendLater) };
  }
  const label = interrupts(job) ? vscode.l10n.t('Interrupt and Send') : vscode.l10n.t('Send Now');
  return { hint: waitingLook(job, prompt)?.detail, other: { time: 'now', label }, enter: 'ended' };
}

/** Discards a prompt that was not accepted. Its text can be restored for as long as the notice is shown. */
export async function discardPrompt(options: PromptApp, argument: unknown): Promise<void> {
  const found = find(options.store, argument);
  if (found === undefined) {
    return;
  }
  if (!(await options.outbox.discard(found.job, found.prompt))) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This prompt is already being sent. Wait for the response, then send a follow-up.'),
    );
    return;
  }
  const copy = vscode.l10n.t('Copy Prompt');
  if ((await vscode.window.showInformationMessage(vscode.l10n.t('Prompt discarded.'), copy)) === copy) {
    await vscode.env.clipboard.writeText(found.prompt.text);
  }
}

function find(store: JobStore, argument: unknown): { job: TrackedJob; prompt: OutgoingPrompt } | undefined {
  const named = readSend(argument);
  const job = named === undefined ? undefined : store.get(named.jobKey);
  const prompt = job?.prompts.find((each) => each.id === named?.promptId);
  const open =
    prompt !== undefined && prompt.state !== 'created' && prompt.state !== 'discarded' && prompt.state !== 'sending';
  if (job === undefined || !open) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Select an unsent prompt in the Jobs view.'));
    return undefined;
  }
  return { job, prompt };
}
