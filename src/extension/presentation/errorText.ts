import * as vscode from 'vscode';
import type { FailureReason } from '../../jobs/events';
import type { PollHealth } from '../../jobs/ports';
import type { OutgoingPrompt } from '../../jobs/trackedJob';
import {
  type ServiceErrorKind,
  type NetworkDiagnosis,
  type NetworkProblem,
  diagnoseNetworkError,
} from '../../protocol/errors';
import { toLabel } from '../platform/sanitize';
import { timeText } from './jobText';
import { serviceText } from './serviceText';

/** What happened and what to do next; not escaped for any sink. */
export function reasonText(reason: FailureReason): string {
  return withReport(kindText(reason.kind, reason), reason);
}

/** The same for a request about a known job that not every service offers. */
export function optionalReasonText(reason: FailureReason): string {
  const isNeither = reason.kind === 'notFound';
  return isNeither ? vscode.l10n.t('The service doesn’t offer this, or no longer has the job.') : reasonText(reason);
}

/** Adds what the service reported, unless the text says the same. */
function withReport(text: string, reason: FailureReason): string {
  const said = toLabel(serviceText(reason.coded, reason.detail), 200);
  return text.toLowerCase().includes(said.toLowerCase()) ? text : `${text} (${said})`;
}

/** Why a prompt was not accepted, or why its outcome is unknown; empty if there is nothing to say. */
export function sendReasonText(prompt: Pick<OutgoingPrompt, 'kind' | 'state' | 'reason'>): string {
  const { state, reason } = prompt;
  if (reason === undefined) {
    return '';
  }
  if (reason.code === 'TURN') {
    return vscode.l10n.t('Earlier prompts are sent first.');
  }
  if (reason.code === 'BUDGET') {
    return vscode.l10n.t('You’ve reached this project’s hourly rate limit.');
  }
  if (reason.code === 'SETUP') {
    return vscode.l10n.t('Couldn’t prepare the prompt: {0}.', toLabel(serviceText(reason.coded, reason.detail), 200));
  }
  if (prompt.kind === 'create' && reason.kind === 'notFound') {
    return withReport(vscode.l10n.t('Project not found. Check the project ID.'), reason);
  }
  const said = reason.kind === 'rejected' ? toLabel(serviceText(reason.coded, reason.detail), 200) : '';
  if (said !== '') {
    return vscode.l10n.t('The service rejected the prompt: {0}.', said.replace(/\.$/, ''));
  }
  const lost = state === 'unconfirmed' && reason.status === undefined && reason.kind === 'unreachable';
  return lost ? vscode.l10n.t('The connection was lost before the response arrived.') : reasonText(reason);
}

function kindText(kind: ServiceErrorKind, reason: FailureReason): string {
  return {
    unauthorized:
      reason.code === 'NO_KEY'
        ? vscode.l10n.t('There is no API key for this service. Enter one with “Set API Key”.')
        : vscode.l10n.t(
            'The service rejected the API key. It may be wrong or expired. Enter a new one with “Set API Key”.',
          ),
    forbidden:
      reason.status === 402
        ? vscode.l10n.t('The service requires payment for this, or your plan doesn’t include it. Check your account.')
        : vscode.l10n.t(
            'The API key doesn’t have permission for this project (write to send, read to track), or your IP address isn’t allowed.',
          ),
    notFound: vscode.l10n.t('Project or job not found. Check the project ID.'),
    rejected: vscode.l10n.t('The service rejected the prompt. Edit it and try again.'),
    limit:
      reason.until === undefined
        ? vscode.l10n.t('Hourly rate limit reached. Try again later.')
        : vscode.l10n.t('Rate limited until {0}.', timeText(reason.until)),
    unreachable: unreachableText(reason),
    timeout: isOfConnecting(reason.code)
      ? networkText(reason.code)
      : vscode.l10n.t('The service didn’t respond in time. Try again later.'),
    notUnderstood: vscode.l10n.t('The response isn’t from a compatible service. Check the base URL and your proxy.'),
    aborted: vscode.l10n.t('VS Code was closed or reloaded before the response arrived.'),
  }[kind];
}

function unreachableText(reason: FailureReason): string {
  if (reason.code === 'LOCAL_SERVICE') {
    return vscode.l10n.t('Couldn’t start the local service. See the log for details.');
  }
  if (reason.code === 'NOT_HANDLED') {
    return vscode.l10n.t('Too many requests to the local service are running. Docs Agent will retry soon.');
  }
  return reason.status === undefined
    ? networkText(reason.code)
    : vscode.l10n.t('The service returned an error (status {0}). Try again later.', String(reason.status));
}

/** Timeouts while connecting. After a later timeout, the service may have received the request. */
function isOfConnecting(code: string | undefined): boolean {
  return code === 'CONNECT_TIMEOUT' || code === 'PROXY_TIMEOUT' || code === 'ETIMEDOUT';
}

/** Why checking a job fails. */
export function uncheckedReason(failure: NonNullable<PollHealth['failure']>): string {
  switch (failure) {
    case 'notFound':
      return vscode.l10n.t(
        'The service can’t find this job. It may have been deleted, or the project ID may have changed. Check the project ID, or remove the job from the list.',
      );
    case 'rejected':
      return vscode.l10n.t('You don’t have access to this job.');
    default:
      return reasonText({ kind: failure });
  }
}

/** Explains why there was no connection and what to check, from the error code. */
export function networkText(code: string | undefined): string {
  const trouble = diagnoseNetworkError(code);
  const why = trouble.at === 'proxy' ? proxyText(trouble) : connectionText(trouble);
  return vscode.l10n.t('Couldn’t reach the service: {0}', why);
}

function connectionText({ problem }: NetworkDiagnosis): string {
  const texts: Partial<Record<NetworkProblem, string>> = {
    name: vscode.l10n.t(
      'host name not found (DNS). Check your network, the base URL, and “http.proxy” if you use a proxy.',
    ),
    refused: vscode.l10n.t('connection refused. Check the base URL and your firewall.'),
    time: vscode.l10n.t('the connection timed out. Check your network, proxy, and base URL.'),
    authority: vscode.l10n.t(
      'its certificate isn’t trusted. If your company inspects TLS, install its root certificate and keep “http.systemCertificates” enabled.',
    ),
    host: vscode.l10n.t('its certificate is for a different host. Check the base URL.'),
    date: vscode.l10n.t(
      'its certificate has expired or isn’t valid yet. Check this machine’s clock, then contact the service’s administrator.',
    ),
    secure: vscode.l10n.t('the TLS connection failed. Check that the base URL and port use https.'),
  };
  return texts[problem] ?? vscode.l10n.t('the connection was lost. Check your network, proxy, and base URL.');
}

function proxyText({ problem, status = '' }: NetworkDiagnosis): string {
  const texts: Partial<Record<NetworkProblem, string>> = {
    name: vscode.l10n.t('the proxy’s host name wasn’t found. Check “http.proxy”.'),
    refused: vscode.l10n.t('the proxy refused the connection. Check “http.proxy”.'),
    time: vscode.l10n.t('the proxy didn’t respond in time. Check “http.proxy” and your network.'),
    login: vscode.l10n.t(
      'the proxy requires a different user name and password. Set them in “http.proxy” or “http.proxyAuthorization”.',
    ),
    forbidden: vscode.l10n.t(
      'the proxy blocked the connection (status {0}). Ask its administrator to allow the service’s URL.',
      status,
    ),
    setting: vscode.l10n.t(
      '“http.proxy” isn’t an HTTP or HTTPS proxy URL. SOCKS isn’t supported. Change that setting.',
    ),
    authority: vscode.l10n.t(
      'the proxy’s certificate isn’t trusted. Install its root certificate and keep “http.systemCertificates” enabled.',
    ),
    host: vscode.l10n.t('the proxy’s certificate is for a different host. Check “http.proxy”.'),
    date: vscode.l10n.t('the proxy’s certificate has expired or isn’t valid yet. Check this machine’s clock.'),
    secure: vscode.l10n.t(
      'the TLS connection to the proxy failed. Check whether “http.proxy” should start with http:// or https://.',
    ),
  };
  return texts[problem] ?? vscode.l10n.t('the connection to the proxy was lost. Check “http.proxy”.');
}
