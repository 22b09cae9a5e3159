import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, GitError, type GitPlace, listedSettings } from './git';

/** What each git has read of files with settings, by their path, the names, and their text. */
const knownTo = new WeakMap<Pick<Git, 'run'>, Map<string, [name: string, value: string][]>>();
const MAX_KNOWN = 500;
/** Larger files are read each time. In bytes. */
const MAX_TEXT = 16 * 1024;

/**
 * Reads the settings of a repository whose names match, in git's order. A name without a value has an empty one. The
 * name of the section and of the variable are in lower case. Throws GitError, also when they are too many: a repository
 * can contain any number of settings.
 *
 * @param names a POSIX extended regular expression
 */
export async function readSettings(
  git: Pick<Git, 'run'>,
  place: GitPlace,
  names: string,
): Promise<[name: string, value: string][]> {
  const known = knownTo.get(git) ?? new Map<string, [name: string, value: string][]>();
  knownTo.set(git, known);
  const text = await onlyText(place);
  const key = [place.gitDir ?? place.folder, names, text].join('\0');
  const remembered = text === undefined ? undefined : known.get(key);
  if (remembered !== undefined) {
    return remembered;
  }
  const settings = await listSettings(git, place, names);
  if (text !== undefined && text === (await onlyText(place))) {
    if (known.size >= MAX_KNOWN) {
      known.clear();
    }
    known.set(key, settings);
  }
  return settings;
}

/**
 * The text of the one file that the settings of a repository depend on; undefined if there are more, or if git may not
 * take this for a repository.
 */
async function onlyText({ folder, gitDir = join(folder, '.git'), environment }: GitPlace): Promise<string | undefined> {
  const kindOf = (name: string) => lstat(join(gitDir, name)).catch(() => undefined);
  const [file, head, common] = await Promise.all(['config', 'HEAD', 'commondir'].map(kindOf));
  if (environment || file?.isFile() !== true || file.size > MAX_TEXT || head?.isFile() !== true || common) {
    return undefined;
  }
  const text = await readFile(join(gitDir, 'config'), 'latin1').catch(() => undefined);
  return text === undefined || /include|worktreeconfig/i.test(text) ? undefined : text;
}

async function listSettings(
  git: Pick<Git, 'run'>,
  place: GitPlace,
  names: string,
): Promise<[name: string, value: string][]> {
  const listed = await git.run(place, ['config', '--null', '--get-regexp', names]).catch((error: unknown) => {
    if (error instanceof GitError && error.exitCode === 1) {
      return '';
    }
    throw error instanceof GitError && error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' ? tooManySettings() : error;
  });
  return listedSettings(listed);
}

/** Names what callers look for. */
export function tooManySettings(): GitError {
  const words =
    'The Git configuration of this repository has too many remotes, filters, or hooks. Remove those that aren’t needed.';
  return new GitError(words, undefined, undefined);
}

/** Returns a pattern for `readSettings` that matches the text itself. */
export function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * Settings with which a repository can make git run a program: filters; merge drivers; merge strategies in a branch's
 * options; the remote program from which older versions of git lazily fetch objects missing from a partial clone; and,
 * since git 2.54, hooks in the configuration, which `core.hooksPath` does not cover.
 */
const NAMED_PROGRAMS =
  '^(filter\\..*\\.(clean|smudge|process|required)|merge\\..*\\.driver|branch\\..*\\.mergeoptions|remote\\..*\\.uploadpack|hook\\..*\\.(command|event|enabled))$';

/** Maximum number of such settings: each takes room in the environment of every git command. */
const MAX_PROGRAMS = 1_000;

/**
 * Returns the place with settings that keep every git command from running such a program: even `git status` and
 * `git write-tree` would run the clean filter of a file whose timestamps changed. The settings are passed in the
 * environment, because a name may contain any character. Throws GitError when the names can't be read; then no command
 * may run.
 */
export async function disableRepositoryPrograms(git: Pick<Git, 'run'>, place: GitPlace): Promise<GitPlace> {
  const names = (await readSettings(git, place, NAMED_PROGRAMS)).map(([name]) => name);
  const unreadable = names.find((name) => name.includes('\uFFFD'));
  if (unreadable !== undefined) {
    // A mangled name would disable another program, and this one would run.
    throw new GitError(
      `The Git configuration sets a program under “${unreadable}”, which isn’t valid UTF-8. Rename or remove it.`,
      undefined,
      undefined,
    );
  }
  const settings = new Map(names.map(getDisablingSetting));
  if (settings.size > MAX_PROGRAMS) {
    throw tooManySettings();
  }
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.size) };
  [...settings].forEach(([name, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return { ...place, environment };
}

function getDisablingSetting(name: string): [string, string] {
  if (name.startsWith('hook.')) {
    return [`${name.slice(0, name.lastIndexOf('.'))}.enabled`, 'false'];
  }
  if (name.startsWith('remote.')) {
    return [name, 'git-upload-pack'];
  }
  return [name, name.endsWith('.required') ? 'false' : ''];
}

const LINE_ENDINGS = ['core.autocrlf', 'core.eol'] as const;

/**
 * Returns the place such that git commands run no configured program, but still ignore the same files and treat the
 * same lines as equal as the user's own git. Throws GitError when it can't be determined what to disable.
 */
export async function withUserFileSettings(git: Git, folder: string): Promise<GitPlace> {
  const [place, excludes, ...settings] = await Promise.all([
    // `core.worktree` could point to other files.
    disableRepositoryPrograms(git, { folder, workTree: folder }),
    git.excludesFile(folder),
    ...LINE_ENDINGS.map(async (key) => [key, await git.configured(folder, key)] as const),
  ]);
  return addSettings(place, [['core.excludesFile', excludes], ...settings]);
}

/** Returns the place with more settings for every command. Leaves out those without a value. */
export function addSettings(
  place: GitPlace,
  settings: readonly (readonly [name: string, value: string | undefined])[],
): GitPlace {
  const environment = { ...place.environment };
  let count = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  for (const [name, value] of settings) {
    if (value !== undefined) {
      environment[`GIT_CONFIG_KEY_${count}`] = name;
      environment[`GIT_CONFIG_VALUE_${count}`] = value;
      count += 1;
    }
  }
  return { ...place, environment: { ...environment, GIT_CONFIG_COUNT: String(count) } };
}
