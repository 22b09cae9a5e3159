import type { PushFailure } from '../git/pushFailure';
import { CONNECT } from './forgeFailure';

/** What a failed push means for the user, and what they can do. */
export function pushWords(host: string, branch: string, repository: string, { problem, words }: PushFailure): string {
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
