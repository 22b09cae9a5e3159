import * as vscode from 'vscode';
import type { Reason } from '../../jobs/events';
import type { Outcome } from '../../jobs/jobHistory';
import type { OutgoingPrompt } from '../../jobs/trackedJob';
import type { ServiceErrorKind } from '../../protocol/errors';
import { toLabel } from '../platform/sanitize';
import { timeText } from './jobText';
import { networkText } from './networkText';
import { serviceText } from './serviceText';

/** What happened and what to do next; not escaped for any sink. */
export function reasonText(reason: Reason): string {
  const said = toLabel(serviceText(reason.coded, reason.detail), 200);
  return kindText(reason.kind, reason) + (said === '' ? '' : ` (${said})`);
}

/** Why a prompt was not accepted, or why its outcome is unknown; empty if there is nothing to say. */
export function sendReasonText({
  state,
  reason,
}: {
  state: OutgoingPrompt['state'] | Outcome['type'];
  reason?: Reason | undefined;
}): string {
  if (reason === undefined) {
    return '';
  }
  if (reason.code === 'TURN') {
    return vscode.l10n.t('Prompts that were typed before it go first.');
  }
  if (reason.code === 'BUDGET') {
    return vscode.l10n.t(
      'So many prompts were sent to this project within the last hour that the service would refuse more.',
    );
  }
  if (reason.code === 'SETUP') {
    return vscode.l10n.t('It could not be made ready: {0}.', toLabel(serviceText(reason.coded, reason.detail), 200));
  }
  const lost = state === 'unconfirmed' && reason.status === undefined && reason.kind === 'unreachable';
  return lost ? vscode.l10n.t('The connection broke before the answer came.') : reasonText(reason);
}

function kindText(kind: ServiceErrorKind, reason: Reason): string {
  switch (kind) {
    case 'unauthorized':
      return reason.code === 'NO_KEY'
        ? vscode.l10n.t('There is no API key for this service. Enter one with “Set API Key”.')
        : vscode.l10n.t(
            'The service rejected the API key: it is wrong or has expired. Enter a new one with “Set API Key”.',
          );
    case 'forbidden':
      if (reason.status === 402) {
        return vscode.l10n.t(
          'The service wants to be paid for this, or the plan does not include it. Look at your account there.',
        );
      }
      return vscode.l10n.t(
        'The key may not do this: it lacks the right (write to send, read to follow), or this network’s address is not allowed.',
      );
    case 'notFound':
      return vscode.l10n.t('The service knows no such project or job. Check the project ID.');
    case 'rejected':
      return vscode.l10n.t('The service refused the prompt. Change it and send it again.');
    case 'limit':
      return limitText(reason.until);
    case 'unreachable':
      return unreachableText(reason);
    case 'timeout':
      return isOfConnecting(reason.code)
        ? networkText(reason.code)
        : vscode.l10n.t('The service did not answer in time. Try again later.');
    case 'notUnderstood':
      return vscode.l10n.t('The answer is not one of this service. Check the base URL and any proxy in between.');
    case 'aborted':
      return vscode.l10n.t('The editor was closed or reloaded before the answer came.');
  }
}

function limitText(until: number | undefined): string {
  return until === undefined
    ? vscode.l10n.t('The limit of requests for this hour is reached. Try again later.')
    : vscode.l10n.t('The limit of requests is reached until {0}.', timeText(until));
}

function unreachableText(reason: Reason): string {
  if (reason.code === 'LOCAL_SERVICE') {
    return vscode.l10n.t('The local service could not be started. See the log for more (“Show Log”).');
  }
  if (reason.code === 'NOT_HANDLED') {
    return vscode.l10n.t(
      'The local service has too many connections open. Close review pages that you don’t need; it is tried again soon.',
    );
  }
  return reason.status === undefined
    ? networkText(reason.code)
    : vscode.l10n.t('The service has a fault (status {0}). Try again later.', String(reason.status));
}

/** Timeouts while connecting. After a later timeout, the service may have received the request. */
function isOfConnecting(code: string | undefined): boolean {
  return code === 'CONNECT_TIMEOUT' || code === 'PROXY_TIMEOUT' || code === 'ETIMEDOUT';
}
