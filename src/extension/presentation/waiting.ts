import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { PollHealth } from '../../jobs/ports';
import { type OutgoingPrompt, pendingPrompts, type TrackedJob } from '../../jobs/trackedJob';
import type { Waiting } from '../../jobs/waiting';
import { getJobState, getPromptState, STATES } from './jobStates';
import { timeText } from './jobText';
import { type Look, WARNING_COLOR } from './severity';

/** How a waiting prompt is shown. */
export interface WaitingLook extends Look {
  /** In a few words, for use within a line. */
  label: string;
  /** In sentences; absent if the outcome of the last attempt explains it. */
  detail?: string | undefined;
  /** The user can help, so its action is highlighted. */
  isStuck?: true;
}

/** The only table of what a prompt can wait for; undefined for a prompt that does not wait. */
export function waitingLook(job: TrackedJob, prompt: OutgoingPrompt, health?: PollHealth): WaitingLook | undefined {
  const { waiting } = prompt;
  const isLocal = job.location.service === LOCAL_SERVICE;
  const clock = { severity: 'waiting', icon: 'clock' } as const;
  const offline = {
    ...clock,
    icon: 'debug-disconnect',
    iconColor: WARNING_COLOR,
    isStuck: true,
  } as const;
  switch (waiting?.for) {
    case undefined:
      return undefined;
    case 'network':
      return {
        ...offline,
        label: isLocal ? vscode.l10n.t('waiting for local service') : vscode.l10n.t('waiting for network'),
      };
    case 'setup':
      return {
        ...offline,
        label: isLocal ? vscode.l10n.t('waiting for local service') : vscode.l10n.t('can’t be sent yet'),
      };
    case 'rateLimit':
      return {
        ...clock,
        icon: 'watch',
        label: vscode.l10n.t('queued until {0}: rate limit', timeText(waiting.until)),
      };
    case 'apiKey':
      return {
        severity: 'warning',
        icon: 'key',
        iconColor: WARNING_COLOR,
        label: waiting.isMissing ? vscode.l10n.t('API key required') : vscode.l10n.t('API key rejected'),
        isStuck: true,
      };
    case 'earlierPrompt':
      return waiting.of === 'project'
        ? { ...clock, label: vscode.l10n.t('queued behind another prompt') }
        : {
            ...clock,
            label: vscode.l10n.t('queued behind another follow-up'),
            detail: vscode.l10n.t(
              'It’s sent automatically when the previous follow-up has been sent and its run has finished.',
            ),
          };
    case 'runEnd': {
      const isHeld = waiting.held !== undefined;
      const look = isHeld ? { ...clock, icon: 'debug-pause', iconColor: WARNING_COLOR } : clock;
      return { ...look, ...runEndText(job, waiting, health) };
    }
  }
}

/** A held prompt is sent only by the user, or after a later run that ends successfully. */
function runEndText(
  job: TrackedJob,
  { held }: Extract<Waiting, { for: 'runEnd' }>,
  health: PollHealth | undefined,
): { label: string; detail: string } {
  switch (held) {
    case 'ended':
      return (STATES[getJobState(job)].hold ?? heldAfterFailure)();
    case 'unsure':
      return {
        label: vscode.l10n.t('on hold: an earlier follow-up may be running'),
        detail: vscode.l10n.t(
          'The agent may have received an earlier follow-up, and this one would interrupt it. Send it now, edit it, or discard it. Otherwise it’s sent after the next run that finishes.',
        ),
      };
    case undefined:
      return health?.failure === 'notFound'
        ? {
            label: vscode.l10n.t('queued: job not found'),
            detail: vscode.l10n.t(
              'The service can’t find this job right now. The follow-up is sent automatically when the job is back and its run has finished.',
            ),
          }
        : {
            label: vscode.l10n.t('queued until this run finishes'),
            detail: vscode.l10n.t(
              'It’s sent automatically when the current run finishes. If the run fails, it stays on hold until you send it or a later run finishes.',
            ),
          };
  }
}

function heldAfterFailure(): { label: string; detail: string } {
  return {
    label: vscode.l10n.t('on hold: the run failed'),
    detail: vscode.l10n.t(
      'The run failed, so this follow-up wasn’t sent. Send it now, edit it, or discard it. Otherwise it’s sent after the next run that finishes.',
    ),
  };
}

/** The state of a prompt that was not accepted, or not yet, as text. */
export function promptText(job: TrackedJob, prompt: OutgoingPrompt, health?: PollHealth): string {
  return waitingLook(job, prompt, health)?.label ?? STATES[getPromptState(prompt)].label?.() ?? '';
}

/**
 * What the follow-ups of a job wait for; undefined if there are none. Shown on the job's row, because their own rows
 * may be collapsed.
 */
export function followUpText(job: TrackedJob, health?: PollHealth): string | undefined {
  const [first, ...more] = pendingPrompts(job);
  if (first === undefined) {
    return undefined;
  }
  const text = vscode.l10n.t('follow-up: {0}', promptText(job, first, health));
  return more.length === 0 ? text : vscode.l10n.t('{0}, {1} more', text, more.length);
}
