import { delimiter, isAbsolute } from 'node:path';
import { GitError } from './errors';
import { scopesOfUser } from './programPaths';
import { runProgram } from './runProgram';

/**
 * What git commands that use the user's credentials may see in addition: agents and key rings, proxies, certificate
 * authorities, and the location of configuration files. No tokens: those in the environment (`GH_TOKEN`) would be sent
 * to any host.
 */
const OF_USER = new Set(
  `SSH_AUTH_SOCK SSH_AGENT_PID DBUS_SESSION_BUS_ADDRESS GNUPGHOME PASSWORD_STORE_DIR KRB5CCNAME
  XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR GH_CONFIG_DIR GCM_CREDENTIAL_STORE
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE GIT_SSL_CAINFO
  GIT_SSL_CAPATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_SSH GIT_SSH_COMMAND
  GIT_SSH_VARIANT HOMEDRIVE HOMEPATH PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)`.split(/\s+/),
);

/** The environment for the user's own git, ssh, credential helpers and `gh`. It disables all interactive prompts. */
export function userEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const own: Record<string, string> = allowedEnvironment(environment);
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && OF_USER.has(name.toUpperCase())) {
      own[name] = value;
    }
  }
  return {
    ...own,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // An empty value counts as set and overrides `core.askPass` and SSH_ASKPASS.
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
  };
}

/** The variables that programs started by the service may see, in upper case. */
const ALLOWED = `PATH HOME USER LOGNAME LANG TMPDIR TERM SHELL SYSTEMROOT SYSTEMDRIVE WINDIR APPDATA LOCALAPPDATA
  USERPROFILE TEMP TMP PATHEXT COMSPEC`.split(/\s+/);

const LOCALE = /^LC_[A-Z]+$/;

/**
 * Returns the part of an environment that a program may see. Everything else is removed: keys and tokens, and variables
 * that control the program (`VSCODE_*`, `GIT_*`, `NODE_OPTIONS`, `ELECTRON_RUN_AS_NODE`). Names are compared ignoring
 * case, because Windows spells them `Path` and `SystemRoot`.
 *
 * Keeps only the absolute folders of PATH: relative ones, and an empty element, would be resolved in the current
 * folder, which is often a repository.
 */
export function allowedEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const upper = name.toUpperCase();
    const kept = upper === 'PATH' ? absoluteFolders(value) : value;
    if (kept !== undefined && (ALLOWED.includes(upper) || LOCALE.test(upper))) {
      allowed[name] = kept;
    }
  }
  return allowed;
}

/** Undefined when there are none: an empty PATH would mean the current folder. */
function absoluteFolders(path = ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.length === 0 ? undefined : folders.join(delimiter);
}

/** Names and values in git's order; the last value of a name wins. */
export type Settings = readonly (readonly [name: string, value: string])[];

const TIMEOUT_MS = 20_000;

/**
 * Reads the user's own configuration (global and system) for this folder, including conditional includes such as
 * `includeIf "gitdir:~/company/"`, but nothing from the repository's configuration. Reading runs no program. Throws
 * GitError.
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

/** @param listed the output of `git config --list --show-scope --null`: scope NUL name LF value NUL */
export function ownSettings(listed: string, platform?: NodeJS.Platform): Settings {
  const ofUser = scopesOfUser(platform);
  // git lists the repository’s own settings last, and there can be any number of them.
  const rest = listed.search(/(^|\0)(local|worktree)\0/);
  const parts = (rest === -1 ? listed : listed.slice(0, rest)).split('\0');
  const settings: [string, string][] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const scope = parts[index] ?? '';
    const entry = parts[index + 1] ?? '';
    const end = entry.indexOf('\n');
    if (ofUser.includes(scope)) {
      // A name without a value means true (git-config(1)).
      settings.push(end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)]);
    }
  }
  return settings;
}

/**
 * Not passed on to a push: settings already applied, and those that would extend the push, run something along with it,
 * or send credentials to another host. A setting for one URL would take precedence over the command line.
 */
const NOT_FOR_A_PUSH =
  /^((include|includeif|url|alias|push|remote|branch|hook|filter|pager|core\.(hookspath|worktree|bare|fsmonitor))\b|http\.(.*\.)?followredirects$)/s;

export function settingsForPush(settings: Settings): Settings {
  return settings.filter(([name]) => !NOT_FOR_A_PUSH.test(name));
}

/**
 * Applies the user's `url.*.insteadOf` and `pushInsteadOf` to a URL: the longest matching prefix is replaced, once
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
