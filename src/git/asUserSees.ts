import type { Git, GitPlace } from './git';
import { disableRepositoryPrograms } from './disableRepositoryPrograms';

/** What the user's own configuration says about which files count, and how their lines end. */
const KEYS = ['core.excludesfile', 'core.autocrlf', 'core.eol'] as const;

/**
 * The place as one where a git command runs no program that the configuration names, and still takes the same files for
 * ignored, and the same lines for equal, as the user's own git. Throws GitError when it can't be told what is to be
 * switched off.
 */
export async function asUserSees(git: Git, folder: string): Promise<GitPlace> {
  const [place, ...values] = await Promise.all([
    // `core.worktree` could lead to other files.
    disableRepositoryPrograms(git, { folder, workTree: folder }),
    ...KEYS.map((key) => git.configured(folder, key)),
  ]);
  const environment = { ...place.environment };
  let count = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  for (const [index, value] of values.entries()) {
    if (value !== undefined) {
      environment[`GIT_CONFIG_KEY_${count}`] = KEYS[index] ?? '';
      environment[`GIT_CONFIG_VALUE_${count}`] = value;
      count += 1;
    }
  }
  return { ...place, environment: { ...environment, GIT_CONFIG_COUNT: String(count) } };
}
