import { coded, type CodedText } from '../../protocol/codedText';
import { CodedError } from '../codedText';
import type { PushFailure } from '../git/pushBranch';

/** Why a Git host did not do what was requested, and what the user can do. */
export class ForgeFailure extends CodedError {
  constructor(
    text: CodedText,
    /** The status of its response; undefined if there was none. */
    readonly status: number | undefined,
  ) {
    super(text);
    this.name = 'ForgeFailure';
  }
}

/** Names the command with which a user provides a token. */
export const CONNECT = coded('connectCodeHost');

/** Converts an error status of the API to a ForgeFailure. */
export function toForgeFailure(
  host: string,
  repository: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  words: string,
): ForgeFailure {
  return new ForgeFailure(textOf(host, repository, status, headers, words), status);
}

function textOf(
  host: string,
  repository: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  words: string,
): CodedText {
  // `required; url=…`, where the user lets the token be used for an organization.
  const signOn = /\burl=(https:\S+)/.exec(headers['x-github-sso'] ?? '')?.[1] ?? '';
  const all = [words, signOn].filter((each) => each !== '').join(' ');
  const said = all === '' ? '' : coded('inParentheses', { words: all });
  const isLimited = headers['x-ratelimit-remaining'] === '0' || 'retry-after' in headers || /rate limit/i.test(words);
  if (status === 429 || (status === 403 && isLimited)) {
    return coded('hostLimit', { host, wait: wait(headers) });
  }
  if (status === 401) {
    return coded('tokenNotAccepted', { host, said, connect: CONNECT });
  }
  if (status === 403) {
    return coded('tokenLacksRight', { host, repository, said, connect: CONNECT });
  }
  if (status === 404) {
    return coded('repositoryNotShown', { host, repository, connect: CONNECT });
  }
  if (status >= 300 && status < 400) {
    return coded('hostRedirects', { host, repository });
  }
  return status >= 500 ? coded('hostFault', { host, status }) : coded('pullRequestRefused', { host, said });
}

function wait(headers: Readonly<Record<string, string>>): CodedText | string {
  const seconds = Number(headers['retry-after']);
  const count = Math.ceil(seconds / 60);
  return seconds > 0 ? (count === 1 ? coded('waitMinute') : coded('waitMinutes', { count })) : '';
}

/** What a failed push means for the user, and what they can do. */
export function pushErrorText(
  host: string,
  branch: string,
  repository: string,
  remote: string,
  { problem, words, isSaidByHost }: PushFailure,
): CodedText {
  const end = /[.!?…]$/.test(words) ? '' : '.';
  const said = words === '' ? '.' : coded('colonSaid', { words: `${words}${end}` });
  const hostSaid = isSaidByHost ? said : '.';
  return {
    rejected: coded('hostHasMore', { branch, host }),
    declined: coded('branchDeclined', { host, branch, said }),
    authentication: coded('pushNotAllowed', { host, repository, said: hostSaid, connect: CONNECT }),
    unknownHostKey: coded('hostKeyUnknown', { host }),
    notFound: coded('repositoryNotFound', { host, repository, said: hostSaid, connect: CONNECT }),
    moved: coded('repositoryMoved', { host, repository, remote }),
    certificate: coded('certificateNotVerified', { host, said }),
    unreachable: coded('hostNotReached', { host, said }),
    timeout: coded('pushTimeOver', { host }),
    protocol: coded('remoteProtocol'),
    objectsMissing: coded('objectsMissing', { host, remote, branch }),
    noOptions: coded('branchNotPushed', { branch, host, said }),
    other: coded('branchNotPushed', { branch, host, said }),
  }[problem];
}
