import { type Git, GitError, type GitPlace } from './git';

/**
 * Settings by which a repository has a program run: filters, merge drivers, merge strategies by the options of a branch,
 * the other end of a remote from which an older git fetches by itself what a partial clone lacks, and from git 2.54 on
 * hooks in the configuration, which `core.hooksPath` does not reach.
 */
const NAMED_PROGRAMS =
  '^(filter\\..*\\.(clean|smudge|process|required)|merge\\..*\\.driver|branch\\..*\\.mergeoptions|remote\\..*\\.uploadpack|hook\\..*\\.(command|event|enabled))$';

/**
 * Returns the place with settings under which no git command runs such a program: even `git status` and `git write-tree`
 * would run the clean filter of a file whose times changed. They go through the environment, because a name may hold any
 * character. Throws GitError when the names can't be read; then no command may run.
 */
export async function disableRepositoryPrograms(git: Git, place: GitPlace): Promise<GitPlace> {
  const args = ['config', '--null', '--name-only', '--get-regexp', NAMED_PROGRAMS];
  const printed = await git.run(place, args).catch((error: unknown) => {
    if (error instanceof GitError && error.exitCode === 1) {
      return '';
    }
    throw error;
  });
  const names = printed.split('\0').filter((name) => name !== '');
  const unreadable = names.find((name) => name.includes('\uFFFD'));
  if (unreadable !== undefined) {
    // Another name would be switched off, and that one's program run.
    throw new GitError(
      `The configuration of git names a program as “${unreadable}”, which is not valid UTF-8. Rename or remove it there.`,
      undefined,
      undefined,
    );
  }
  const settings = new Map(names.map(off));
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.size) };
  [...settings].forEach(([name, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return { ...place, environment };
}

function off(name: string): [string, string] {
  if (name.startsWith('hook.')) {
    return [`${name.slice(0, name.lastIndexOf('.'))}.enabled`, 'false'];
  }
  if (name.startsWith('remote.')) {
    return [name, 'git-upload-pack'];
  }
  return [name, name.endsWith('.required') ? 'false' : ''];
}

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
