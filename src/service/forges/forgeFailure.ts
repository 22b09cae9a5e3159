/** Why a code host did not do what it was asked, as a whole sentence for the user that says what to do. */
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

/** The failure behind what a library threw; it wraps what its requests throw. */
export function forgeFailure(error: unknown): ForgeFailure | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    // By its name: a library that is loaded late may bring a class of its own.
    if (each.name === 'ForgeFailure') {
      return each as ForgeFailure;
    }
  }
  return undefined;
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
