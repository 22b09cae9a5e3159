import * as vscode from 'vscode';
import { isBlank } from '../../base/text';
import { type ServiceLocation, LOCAL_SERVICE } from '../../jobs/events';
import { type RecordedPrompt, PromptNotEditableError, type Outbox, type SendResult } from '../../jobs/outbox';
import { mayNeedProject, type OutgoingPrompt, type TrackedJob } from '../../jobs/trackedJob';
import { isHeld, waitsForRun } from '../../jobs/waiting';
import { VIEWS } from '../ids';
import type { ApiKeys } from '../platform/apiKeys';
import type { KeyNotices } from '../platform/keyNotices';
import { replaceKey } from '../platform/keyPrompt';
import { toNotice, toPickLabel } from '../platform/sanitize';
import type { SendTime } from '../platform/sendTime';
import { sendReasonText } from '../presentation/errorText';
import { timeText } from '../presentation/jobText';
import { waitingLook } from '../presentation/waiting';
import { settings } from '../settings';
import { PromptError, refuseUnsendable } from './promptLimits';

/** A prompt that is stored and being sent. */
export interface Sending {
  job: TrackedJob;
  /** Resolves when the service has answered or the prompt stays in the list. Failures have been shown. */
  finished: Promise<TrackedJob>;
  /** Like `finished`, with the outcome of this prompt, whatever else its job waits for. */
  sent: Promise<SendResult>;
}

/** Sends prompts, asks for a missing key, and shows each failure once. */
export class Sender {
  constructor(
    private readonly outbox: Outbox,
    private readonly keys: ApiKeys,
    private readonly keyNotices: Pick<KeyNotices, 'claim' | 'show'>,
  ) {}

  /**
   * Resolves as soon as the prompt is on disk. Rejects only if it could not be stored or is one that its service would refuse.
   */
  async create(location: ServiceLocation, prompt: string): Promise<Sending> {
    const full = withStandingInstructions(prompt);
    refuseUnsendable(location, full);
    return this.follow(location, await this.outbox.create(location, full));
  }

  async followUp(job: TrackedJob, prompt: string, time: SendTime = 'now'): Promise<Sending> {
    refuseUnsendable(job.location, prompt);
    return this.follow(job.location, await this.outbox.followUp(job, prompt, { afterRun: time === 'ended' }));
  }

  /** @param to where to send it instead */
  async again(
    job: TrackedJob,
    prompt: OutgoingPrompt,
    { text, time, to }: { text?: string; time?: SendTime; to?: ServiceLocation } = {},
  ): Promise<Sending> {
    const location = to ?? job.location;
    if (text !== undefined) {
      refuseUnsendable(location, text);
    }
    try {
      return this.follow(location, await this.outbox.sendAgain(job, prompt, text, { afterRun: time === 'ended', to }));
    } catch (error) {
      throw error instanceof PromptNotEditableError
        ? new PromptError(vscode.l10n.t('This prompt was already sent, so your changes weren’t applied.'))
        : error;
    }
  }

  private follow(location: ServiceLocation, recorded: RecordedPrompt): Sending {
    const sent = this.finish(location, recorded);
    return { job: recorded.job, finished: sent.then(({ job }) => job), sent };
  }

  private async finish({ service }: ServiceLocation, { sent }: RecordedPrompt): Promise<SendResult> {
    const result = await vscode.window.withProgress({ location: { viewId: VIEWS.jobs } }, () => sent);
    const { waiting } = result.prompt;
    if (waiting?.for === 'apiKey' && service !== LOCAL_SERVICE) {
      void this.askForKey(service, waiting.isMissing);
    } else {
      this.showOutcome(result);
    }
    return result;
  }

  /** A new key wakes the send loop. The box explains the problem, so that no notification is shown unless it is closed. */
  private async askForKey(service: string, isMissing: boolean): Promise<void> {
    // The user may have entered a key for another prompt in the meantime.
    if (isMissing && (await this.keys.get(service)) !== undefined) {
      return;
    }
    await this.keyNotices.claim(service).catch(() => false);
    if (!(await replaceKey(this.keys, service, !isMissing))) {
      this.keyNotices.show(service, isMissing);
    }
  }

  private showOutcome({ job, prompt }: SendResult): void {
    if (prompt.state === 'created') {
      const text =
        prompt.kind === 'create'
          ? vscode.l10n.t('Job sent to {0}', job.location.projectName ?? job.location.projectId)
          : vscode.l10n.t('Follow-up sent');
      vscode.window.setStatusBarMessage(`$(check) ${toPickLabel(text)}`, 5000);
      return;
    }
    const { waiting } = prompt;
    const isNext = waiting?.for === 'earlierPrompt' && prompt.reason === undefined;
    if (isNext || (waitsForRun(prompt) && !isHeld(prompt))) {
      const text =
        waiting?.for === 'runEnd'
          ? vscode.l10n.t('Follow-up queued until this run finishes')
          : vscode.l10n.t('Follow-up queued');
      vscode.window.setStatusBarMessage(`$(clock) ${toPickLabel(text)}`, 5000);
      return;
    }
    const settled = prompt.state !== 'queued' && prompt.state !== 'sending' && prompt.state !== 'discarded';
    if (settled) {
      void this.showFailure(job, prompt);
    }
  }

  private async showFailure(job: TrackedJob, prompt: OutgoingPrompt): Promise<void> {
    const list = vscode.l10n.t('Show in List');
    const steps = nextSteps(prompt);
    const show = prompt.state === 'rejected' ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const text = toNotice(
      [sendReasonText(prompt), nextStepText(job, prompt)].filter((part) => part !== '').join(' '),
      500,
    );
    const offers = [...steps.map(({ label }) => label), list];
    // The first button stands out; for a waiting prompt it should be the one that changes nothing.
    const waits = prompt.state === 'waiting' && !isHeld(prompt);
    const choice = await show(text, ...(waits ? offers.toReversed() : offers));
    if (choice === list) {
      await vscode.commands.executeCommand(`${VIEWS.jobs}.focus`);
    }
    const next = steps.find(({ label }) => label === choice);
    if (next !== undefined) {
      await vscode.commands.executeCommand(next.command, { jobKey: job.key, promptId: prompt.id });
    }
  }
}

/** What happens to the prompt next, and what the user can do about it. */
function nextStepText(job: TrackedJob, prompt: OutgoingPrompt): string {
  const detail = waitingLook(job, prompt)?.detail;
  if (detail !== undefined) {
    return vscode.l10n.t('The follow-up is saved in the Jobs view. {0}', detail);
  }
  if (prompt.state === 'unconfirmed') {
    return prompt.kind === 'create'
      ? vscode.l10n.t('The job may already exist. Check the service before you resend the prompt.')
      : vscode.l10n.t('The agent may have received the follow-up.');
  }
  return prompt.state === 'waiting' ? whenItGoes(prompt) : vscode.l10n.t('Your prompt is saved in the Jobs view.');
}

function whenItGoes({ waiting }: OutgoingPrompt): string {
  switch (waiting?.for) {
    case 'apiKey':
      return vscode.l10n.t('It’s queued until you set an API key.');
    case 'rateLimit':
      return vscode.l10n.t('It’s queued and will be sent automatically at {0}.', timeText(waiting.until));
    default:
      return vscode.l10n.t('It’s queued and will be sent when the service is reachable.');
  }
}

/**
 * What is most likely to help, best first. A prompt that may have been received should be checked before anything else.
 */
function nextSteps(prompt: OutgoingPrompt): { label: string; command: string }[] {
  const change = { label: vscode.l10n.t('Edit and Send…'), command: 'docsAgent.editAndSend' };
  switch (prompt.state) {
    case 'unconfirmed':
      return [];
    case 'waiting':
      return isHeld(prompt)
        ? [{ label: vscode.l10n.t('Send Now'), command: 'docsAgent.sendNow' }]
        : [{ label: vscode.l10n.t('Discard'), command: 'docsAgent.discardPrompt' }];
    default: {
      const project = { label: vscode.l10n.t('Change Project…'), command: 'docsAgent.changeProject' };
      const projects = mayNeedProject(prompt) ? [project] : [];
      if (prompt.reason?.kind !== 'forbidden') {
        return projects.length > 0 ? projects : [change];
      }
      // Changing the text does not help if the key lacks a permission.
      const key = { label: vscode.l10n.t('Set API Key'), command: 'docsAgent.setApiKey' };
      return [key, ...projects, { label: vscode.l10n.t('Send Now'), command: 'docsAgent.sendNow' }];
    }
  }
}

/**
 * Returns the prompt of a new job with the user's standing instructions below it. They come last because the first line
 * of a prompt names its job. A prompt that already ends with them, because it was sent before, stays as it is, and so
 * does a blank one, which must not be sent.
 */
export function withStandingInstructions(prompt: string): string {
  const instructions = settings.instructions().trim();
  const isComplete = instructions === '' || isBlank(prompt) || prompt.trimEnd().endsWith(instructions);
  return isComplete ? prompt : `${prompt}\n\n${instructions}`;
}
