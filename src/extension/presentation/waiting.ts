import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../jobs/events';
import type { PollHealth } from '../../jobs/pollSchedule';
import { type OutgoingPrompt, pendingSends, type TrackedJob } from '../../jobs/trackedJob';
import type { Waiting } from '../../jobs/waiting';
import { type CommandId, COMMANDS } from '../ids';
import { timeText } from './jobText';
import type { StateLook } from './severity';

export const WARNING_COLOR = 'problemsWarningIcon.foreground';

/** How a waiting prompt is shown, and the action that unblocks it. */
export interface WaitingLook extends StateLook {
  /** In a few words, for use within a line. */
  label: string;
  /** In sentences; absent if the outcome of the last attempt explains it. */
  detail?: string | undefined;
  action: CommandId;
  /** The user can help, so the action is highlighted. */
  isStuck?: true;
}

/** The only table of what a prompt can wait for; undefined for a prompt that does not wait. */
export function waitingLook(job: TrackedJob, prompt: OutgoingPrompt, health?: PollHealth): WaitingLook | undefined {
  const { waiting } = prompt;
  const isLocal = job.home.service === LOCAL_SERVICE;
  const severity = 'waiting';
  const action = COMMANDS.sendNow;
  const clock = { severity, icon: 'clock', action } as const;
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
        label: isLocal ? vscode.l10n.t('waits for the local service') : vscode.l10n.t('waits for the network'),
      };
    case 'setup':
      return {
        ...offline,
        label: isLocal ? vscode.l10n.t('waits for the local service') : vscode.l10n.t('can’t be sent yet'),
      };
    case 'rateLimit':
      return {
        ...clock,
        icon: 'watch',
        label: vscode.l10n.t('sends at {0}: limit reached', timeText(waiting.until)),
      };
    case 'apiKey':
      return {
        severity: 'warning',
        icon: 'key',
        iconColor: WARNING_COLOR,
        label: waiting.isMissing ? vscode.l10n.t('needs an API key') : vscode.l10n.t('key rejected'),
        action: COMMANDS.setApiKey,
        isStuck: true,
      };
    case 'earlierPrompt':
      return waiting.of === 'project'
        ? { ...clock, label: vscode.l10n.t('waits for its turn') }
        : {
            ...clock,
            label: vscode.l10n.t('waits for the follow-up before it'),
            detail: vscode.l10n.t('It goes by itself after the follow-up before it, and the run that one begins.'),
          };
    case 'runEnd': {
      const isHeld = waiting.held !== undefined;
      const look = isHeld ? { ...clock, icon: 'debug-pause', iconColor: WARNING_COLOR } : clock;
      return { ...look, ...runEndText(waiting, health) };
    }
  }
}

/** A held prompt is sent only by the user, or after a later run that ends successfully. */
function runEndText(
  { held }: Extract<Waiting, { for: 'runEnd' }>,
  health: PollHealth | undefined,
): { label: string; detail: string } {
  switch (held) {
    case 'failed':
      return {
        label: vscode.l10n.t('held: the run failed'),
        detail: vscode.l10n.t(
          'It was to go after the run, but the run failed. Send it now, change it or discard it. Otherwise it goes when a later run of this job has ended well.',
        ),
      };
    case 'archived':
      return {
        label: vscode.l10n.t('held: the job is archived'),
        detail: vscode.l10n.t(
          'It was to go after the run, but the job was archived. Send it now, change it or discard it. Otherwise it goes when a later run of this job has ended well.',
        ),
      };
    case 'unsure':
      return {
        label: vscode.l10n.t('held: an earlier follow-up may be at work'),
        detail: vscode.l10n.t(
          'The agent may have received an earlier follow-up, and this one would interrupt it. Send it now, change it or discard it. Otherwise it goes when a later run of this job has ended well.',
        ),
      };
    case undefined:
      return health?.failure === 'notFound'
        ? {
            label: vscode.l10n.t('waits: the job can’t be found at the moment'),
            detail: vscode.l10n.t(
              'The service can’t find the job at the moment. It goes by itself when the job is found again and its run has ended well. Send it now, change it or discard it.',
            ),
          }
        : {
            label: vscode.l10n.t('waits for the end of this run'),
            detail: vscode.l10n.t(
              'It goes by itself when the present run has ended well. If the run fails, it is held until you decide, or until a later run of this job ends well.',
            ),
          };
  }
}

/** The state of a prompt that was not accepted, or not yet, as text. */
export function sendText(job: TrackedJob, send: OutgoingPrompt | undefined, health?: PollHealth): string {
  switch (send?.state) {
    case 'waiting':
      return waitingLook(job, send, health)?.label ?? '';
    case 'queued':
    case 'sending':
      return vscode.l10n.t('sending');
    case 'rejected':
      return vscode.l10n.t('not accepted');
    case 'unconfirmed':
      return vscode.l10n.t('may have been received');
    default:
      return '';
  }
}

/**
 * What the follow-ups of a job wait for; undefined if there are none. Shown on the job's row, because their own rows
 * may be collapsed.
 */
export function followUpText(job: TrackedJob, health?: PollHealth): string | undefined {
  const [first, ...more] = pendingSends(job);
  if (first === undefined) {
    return undefined;
  }
  const text = vscode.l10n.t('follow-up: {0}', sendText(job, first, health));
  return more.length === 0 ? text : vscode.l10n.t('{0}, {1} more', text, more.length);
}
