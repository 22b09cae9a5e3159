import { GitError, gitWords } from './errors';
import { runProgram } from './runProgram';

/** A hook or filter of the user that takes longer than this is taken for one that hangs, in milliseconds. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Runs git as VS Code's Git extension does: with the user's configuration, hooks, and filters, so only in a trusted
 * workspace, for what the user has asked for. Throws GitError with all that git says.
 *
 * @param program the Git extension's git
 * @returns standard output
 */
export async function runEditorGit(program: string, folder: string, args: readonly string[]): Promise<string> {
  const own = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // As the Git extension sets them, except that nobody could answer a prompt.
  const set = { LC_ALL: 'en_US.UTF-8', LANG: 'en_US.UTF-8', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
  const environment = { ...Object.fromEntries(own), ...set };
  const { exitCode, stdout, stderr, timedOut } = await runProgram({
    program,
    args,
    folder,
    environment,
    timeoutMs: TIMEOUT_MS,
  });
  if (exitCode !== 0) {
    const words = timedOut ? 'git took too long' : gitWords(stderr) || `git ended with code ${exitCode ?? 'none'}`;
    throw new GitError(words, exitCode ?? undefined, undefined, stdout);
  }
  return stdout;
}
