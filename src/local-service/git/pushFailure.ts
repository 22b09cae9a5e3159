import { sanitize, redactSecrets } from '../text';

export type PushProblem =
  /** The branch on the host has commits that ours does not. */
  | 'rejected'
  /** A rule or a hook of the host refused the push. */
  | 'declined'
  | 'authentication'
  | 'unknownHostKey'
  | 'notFound'
  /** The host redirects to another address. */
  | 'moved'
  | 'certificate'
  | 'unreachable'
  | 'timeout'
  /** The host does not support push options. */
  | 'noOptions'
  | 'protocol'
  | 'other';

/** Why a push failed. `words` are git's or the host's own, without secrets and safe to show. */
export class PushFailure extends Error {
  constructor(
    readonly problem: PushProblem,
    readonly words: string,
  ) {
    super(words === '' ? problem : words);
    this.name = 'PushFailure';
  }
}

/** How much of git's output is kept, in UTF-16 units, at its start and at its end. */
const MAX_PRINTED = 32_000;
const LONG_LINE = /^(.{2000}).+$/gm;

/** In order of precedence: the first match is the cause, and what git prints after it only a consequence. */
const ERROR_PATTERNS: readonly (readonly [PushProblem, RegExp])[] = [
  ['noOptions', /does not support push options/],
  ['protocol', /transport '.*' not allowed|remote-.*is not a git command|Unable to find remote helper/],
  ['unknownHostKey', /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/],
  ['notFound', /[Rr]epository .*not (be )?found|not found: did you run|returned error: 404|repository '.*' not found/],
  ['moved', /returned error: 30[12378]/],
  ['notFound', /does not appear to be a git repository|could not be found or you don't have permission/],
  ['authentication', /Authentication failed|could not read (Username|Password)|Permission denied \(/],
  ['authentication', /returned error: 40[13]|Invalid (username|credentials)|Permission to .* denied|access denied/i],
  ['certificate', /SSL certificate|certificate verif|SSL peer certificate|server certificate/i],
  ['unreachable', /Could not resolve|Failed to connect|Connection (refused|reset|timed out)|[Oo]peration timed out/],
  ['unreachable', /[Nn]etwork is unreachable|No route to host|Couldn't connect|Empty reply|returned error: 5\d\d/],
  ['unreachable', /Operation too slow|unable to access|hung up unexpectedly|Could not read from remote/i],
];

/**
 * Determines why a push failed.
 *
 * @param stdout of `git push --porcelain`
 * @param secrets to redact
 */
export function pushFailure(stdout: string, stderr: string, secrets: readonly string[]): PushFailure {
  const [status, printed] = [stdout, stderr].map((text) => bounded(redactSecrets(text, secrets)));
  return classifyFailure(status ?? '', printed ?? '');
}

function classifyFailure(stdout: string, stderr: string): PushFailure {
  const status = /^!\t\S*\t(.*)$/m.exec(stdout)?.[1] ?? '';
  const own = remoteLines(stderr).join(' ');
  if (/\[remote rejected\]|\[remote failure\]/.test(status)) {
    const reason = inParentheses(status.trimEnd());
    const isHook = /hook declined|proc-receive/.test(reason);
    return new PushFailure('declined', sanitize(own === '' || !isHook ? `${reason} ${own}` : own));
  }
  if (status.includes('[rejected]')) {
    return new PushFailure('rejected', sanitize(status));
  }
  const sign = ERROR_PATTERNS.find(([, pattern]) => pattern.test(stderr));
  const words = own === '' ? lastLines(stderr) : own;
  return new PushFailure(sign?.[0] ?? 'other', sanitize(words));
}

/**
 * Keeps the first lines, which are the host's, and the last ones, which are git's, and cuts each to a length that git
 * itself needs at most. A host can print megabytes, and lines on which the patterns here would take hours. An ellipsis
 * marks each cut, so that a link that was cut is not taken for a whole one.
 */
function bounded(printed: string): string {
  const lines =
    printed.length > 2 * MAX_PRINTED ? `${printed.slice(0, MAX_PRINTED)}…\n…${printed.slice(-MAX_PRINTED)}` : printed;
  return lines.replaceAll(LONG_LINE, '$1…');
}

/** The text in the parentheses at the end of a line; '' if there are none. */
function inParentheses(line: string): string {
  const open = line.indexOf('(');
  return open !== -1 && line.endsWith(')') ? line.slice(open + 1, -1) : '';
}

/** What the host itself printed, without the frames that hosts draw around it, and without the middle of long output. */
export function remoteLines(stderr: string): string[] {
  return bounded(stderr)
    .split(/[\r\n]+/)
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .filter((line) => !/^[=*# -]*$/.test(line));
}

function lastLines(stderr: string): string {
  return stderr.trim().split('\n').slice(-3).join(' ');
}
