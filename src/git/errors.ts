import { existsSync } from 'node:fs';

/** GitError code: the repository belongs to another user. */
export const NOT_TRUSTED = 'NOT_TRUSTED';
/** GitError code: the command was killed because it took too long. */
export const TIMED_OUT = 'TIMED_OUT';
export const NOT_FOUND = 'git was not found. Install git and make sure it is on the PATH.';

/** Maximum number of characters kept from each end of what a program prints to standard error. */
const MAX_END = 64 * 1024;

/** Cuts out the middle of a long text: the reason is in the first or last lines. */
export function bothEnds(text: string): string {
  return text.length > 4 * MAX_END ? `${text.slice(0, MAX_END)}\n${text.slice(-MAX_END)}` : text;
}

/** A failed git command. `message` is the end of git's own output. */
export class GitError extends Error {
  constructor(
    message: string,
    /** The exit code; undefined when git was not found, was killed, or printed too much. */
    readonly exitCode: number | undefined,
    /**
     * A code of the system or of Node, such as ENOENT or ERR_CHILD_PROCESS_STDIO_MAXBUFFER; NOT_TRUSTED or TIMED_OUT.
     */
    readonly code: string | undefined,
    /** Its standard output. */
    readonly output = '',
  ) {
    super(message);
    this.name = 'GitError';
  }
}

/** Converts the failure of a child process. */
export function toGitError(
  error: Error & { code?: string | number | null },
  stdout: string,
  printed: string,
  cwd: string,
): GitError {
  const stderr = bothEnds(printed);
  if (error.code === 'ENOENT') {
    // The system reports a missing program and a missing folder the same way.
    const missing = existsSync(cwd) ? NOT_FOUND : `There is no folder “${cwd}”.`;
    return new GitError(missing, undefined, error.code);
  }
  const distrust = whyNotTrusted(stderr, cwd);
  if (distrust !== undefined && typeof error.code === 'number') {
    return new GitError(distrust, error.code, NOT_TRUSTED, stdout);
  }
  // Git lists the files between the lines that say what it would do to them.
  const refusal = /would (be overwritten|be removed|lose untracked files)/.test(stderr) ? gitWords(stderr) : undefined;
  const words = whyLocked(stderr) ?? refusal ?? lastWords(stderr);
  if (typeof error.code === 'number') {
    return new GitError(words || `git ended with code ${error.code}`, error.code, undefined, stdout);
  }
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return new GitError(words || 'git printed too much', undefined, error.code);
  }
  return new GitError(words || 'git took too long', undefined, error.code ?? TIMED_OUT);
}

/** What git says after the cause, or however a connection ends. */
const NO_CAUSE =
  /^(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.|\*\* .*|[Ww]arning: .*)$/;

/** The last lines of what git or ssh has printed, on one line: those that say the cause, if there are any. */
export function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const causes = lines.filter((line) => !NO_CAUSE.test(line));
  return (causes.length > 0 ? causes : lines).slice(-3).join(' ');
}

/** What git prints when it refuses, on one line and without hints about its configuration. */
export function gitWords(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && line !== 'Aborting' && !line.startsWith('hint: '))
    .map((line) => line.replace(/^(fatal|error): /, ''))
    .join(' ');
}

/** Returns what to do when git finds a lock; undefined for any other output. Git's own words are about processes. */
function whyLocked(stderr: string): string | undefined {
  const file = /Unable to create '([^'\n]{1,4096}\.lock)': File exists/.exec(stderr)?.[1];
  return file === undefined
    ? undefined
    : `Another Git command is running in this repository, or was killed. If none is running, delete “${file}”.`;
}

/** Returns what to do when git refuses a repository because another user owns it; undefined for any other output. */
export function whyNotTrusted(stderr: string, folder: string): string | undefined {
  if (!/safe\.directory|dubious ownership/.test(stderr)) {
    return undefined;
  }
  const own = stderr
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith('git config --global --add safe.directory '));
  const command = own ?? `git config --global --add safe.directory '${folder}'`;
  return `git does not trust this repository, because its folder belongs to another user. If you trust it, run “${command}”, then try again.`;
}
