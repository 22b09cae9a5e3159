import { GitError } from './gitError';
import { runProgram } from './runProgram';
import { scopesOfUser } from './systemGit';
import { userEnvironment } from './userEnvironment';

/** Names and values in git's order; the last of a name counts. */
export type Settings = readonly (readonly [name: string, value: string])[];

const TIMEOUT_MS = 20_000;

/**
 * What the user's own configuration (global and system) says in this folder, with the files that it includes under
 * conditions such as `includeIf "gitdir:~/company/"`, and nothing of what the repository's configuration says. Reading runs
 * nothing. Throws GitError.
 *
 * @param program git's name or path
 */
export async function userConfiguration(
  environment: NodeJS.ProcessEnv,
  folder: string,
  program = 'git',
): Promise<Settings> {
  const args = ['config', '--list', '--show-scope', '--null'];
  const own = { ...userEnvironment(environment), GIT_OPTIONAL_LOCKS: '0' };
  const end = await runProgram({ program, args, folder, environment: own, timeoutMs: TIMEOUT_MS });
  if (end.exitCode !== 0) {
    const why = `The configuration of git could not be read: ${end.stderr.trim().slice(0, 300)}`;
    throw new GitError(why, end.exitCode ?? undefined, undefined);
  }
  return ownSettings(end.stdout);
}

/** @param listed what `git config --list --show-scope --null` prints: scope NUL name LF value NUL */
export function ownSettings(listed: string, platform?: NodeJS.Platform): Settings {
  const ofUser = scopesOfUser(platform);
  const parts = listed.split('\0');
  const settings: [string, string][] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const scope = parts[index] ?? '';
    const entry = parts[index + 1] ?? '';
    const end = entry.indexOf('\n');
    if (ofUser.includes(scope)) {
      // A name without a value stands for true (git-config(1)).
      settings.push(end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]);
    }
  }
  return settings;
}

/** What is not handed on to a push: what was followed already, and what would add to it or run something beside it. */
const NOT_FOR_A_PUSH =
  /^(include|includeif|url|alias|push|remote|branch|hook|filter|pager|core\.(hookspath|worktree|bare|fsmonitor))\b/;

export function settingsForPush(settings: Settings): Settings {
  return settings.filter(([name]) => !NOT_FOR_A_PUSH.test(name));
}

/**
 * The address after the user's `url.*.insteadOf` and `pushInsteadOf`: the longest beginning that fits is replaced, once
 * (git-config(1)).
 *
 * @param isPushUrl true for a `pushurl`, to which `pushInsteadOf` does not apply
 */
export function rewrittenUrl(settings: Settings, url: string, isPushUrl: boolean): string {
  const replaced = (rule: RegExp): string | undefined => {
    let best: { from: string; to: string } | undefined;
    for (const [name, from] of settings) {
      const to = rule.exec(name)?.[1];
      if (to !== undefined && url.startsWith(from) && from.length > (best?.from.length ?? -1)) {
        best = { from, to };
      }
    }
    return best && best.to + url.slice(best.from.length);
  };
  const forPush = isPushUrl ? undefined : replaced(/^url\.(.*)\.pushinsteadof$/s);
  return forPush ?? replaced(/^url\.(.*)\.insteadof$/s) ?? url;
}
