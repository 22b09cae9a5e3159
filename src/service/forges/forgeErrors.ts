import type { PushFailure } from '../git/pushFailure';

/** Why a code host did not do what it was asked, as a sentence that tells the user what to do. */
export class ForgeFailure extends Error {
  constructor(
    message: string,
    /** The status of its answer; undefined when none came. */
    readonly status: number | undefined,
  ) {
    super(message);
    this.name = 'ForgeFailure';
  }
}

/** The name of the command by which a user gives a token, as the editor shows it. */
export const CONNECT = 'Run “Docs Agent: Connect Code Host…”';

/** What a status of the API means. */
export function failureOf(
  host: string,
  repository: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  words: string,
): ForgeFailure {
  return new ForgeFailure(sentence(host, repository, status, headers, words), status);
}

function sentence(
  host: string,
  repository: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  words: string,
): string {
  const said = words === '' ? '' : ` (${words})`;
  const isLimited = headers['x-ratelimit-remaining'] === '0' || 'retry-after' in headers || /rate limit/i.test(words);
  if (status === 429 || (status === 403 && isLimited)) {
    return `${host} takes no more requests from you for a while${wait(headers)}. Send a follow-up later.`;
  }
  if (status === 401) {
    return `${host} did not accept the token${said}. ${CONNECT} and enter a valid one, then send a follow-up.`;
  }
  if (status === 403) {
    const permission = 'and enter a token that may open pull requests';
    return `${host} does not let this token do that in ${repository}${said}. ${CONNECT} ${permission}, then send a follow-up.`;
  }
  if (status === 404) {
    return `${host} shows no repository ${repository} to this token. ${CONNECT} and enter one that may see it, then send a follow-up.`;
  }
  if (status >= 300 && status < 400) {
    return `${host} leads elsewhere for ${repository}. Correct the address of the remote, then send a follow-up.`;
  }
  if (status >= 500) {
    return `${host} has a fault of its own at present (status ${status}). Send a follow-up later.`;
  }
  return `${host} refused the pull request${said}. Look at its page there, or send a follow-up to try again.`;
}

function wait(headers: Readonly<Record<string, string>>): string {
  const seconds = Number(headers['retry-after']);
  const minutes = Math.ceil(seconds / 60);
  return seconds > 0 ? ` (${minutes === 1 ? 'a minute' : `${minutes} minutes`})` : '';
}

/** What a failed push means for the user, and what they can do. */
export function formatPushError(
  host: string,
  branch: string,
  repository: string,
  { problem, words }: PushFailure,
): string {
  const said = words === '' ? '' : `: ${words}`;
  const end = /[.!?…]$/.test(said) ? '' : '.';
  switch (problem) {
    case 'rejected':
      return `The branch ${branch} on ${host} holds commits that the agent’s does not. Rename it there, then send a follow-up.`;
    case 'declined':
      return `${host} refused the branch ${branch}${said}${end}`;
    case 'authentication':
      return `${host} did not let you push to ${repository}. ${CONNECT} or sign in with git in a terminal, then send a follow-up.`;
    case 'unknownHostKey':
      return `ssh does not know the host key of ${host}. Connect to it once in a terminal, then send a follow-up.`;
    case 'notFound':
      return `${host} has no repository ${repository}, or does not show it to you. Check the remote, or: ${CONNECT}, then send a follow-up.`;
    case 'certificate':
      return `The certificate of ${host} could not be verified${said}${end}`;
    case 'unreachable':
      return `${host} could not be reached${said}${end} Check the connection, then send a follow-up.`;
    case 'timeout':
      return `The push to ${host} took too long and was stopped. Send a follow-up to try again.`;
    case 'protocol':
      return `The remote of this repository is at an address that is neither HTTPS nor ssh. Correct it, then send a follow-up.`;
    case 'noOptions':
    case 'other':
      return `The branch ${branch} could not be pushed to ${host}${said}${end}`;
  }
}
