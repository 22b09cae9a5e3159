import type { Git, GitPlace } from './git';
import { type SummaryLimits, SummaryReader } from './summaryReader';

/** `git diff` that prints the same whatever the configuration says, and runs no program of it. */
export const PLAIN_DIFF = [
  ...['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--no-relative', '--find-renames'],
  // What is in a submodule is its own: a git that looks there follows its configuration.
  ...['--ignore-submodules=dirty', '--submodule=short'],
];

/**
 * Which files differ, by how many lines. Throws GitError, or the signal's reason.
 *
 * @param compared what `git diff` compares, such as two commits
 */
export async function diffSummary(
  { git, place, signal }: { git: Git; place: GitPlace; signal: AbortSignal },
  compared: readonly string[],
  limits?: SummaryLimits,
): Promise<SummaryReader> {
  const summary = new SummaryReader(limits);
  const decoder = new TextDecoder();
  const args = [...PLAIN_DIFF, '--raw', '--numstat', '-z', ...compared, '--'];
  for await (const bytes of git.stream(place, args, signal)) {
    summary.push(decoder.decode(bytes, { stream: true }));
  }
  return summary;
}
