import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../../base/files';
import { decodeUserInfo } from '../../base/network';
import type { Settings } from '../../git/environment';
import type { Git } from '../../git/git';
import { PushFailure, pushFailure } from './pushFailure';
import type { UserGit } from './userGit';

/** Timeout of a push, in milliseconds: enough for a large repository over a slow connection. */
const PUSH_TIMEOUT_MS = 120_000;
const REMOTE_NAME = 'docs-agent-target';

/** Where to push, and as whom. */
export interface PushTarget {
  /** The address, after the user's own URL rewriting. */
  url: string;
  /** Used for exactly that scheme, host and port. Without it, the user's own credential helpers are asked. */
  login?: { username: string; password: string } | undefined;
}

export interface Push {
  commit: string;
  /** The full name of the reference on the host, `refs/…`. */
  ref: string;
  /** Values for `-o`, for hosts that support it. */
  options?: readonly string[];
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Pushes one commit to one reference, never by force. Throws PushFailure, or the signal's reason.
 *
 * @returns what git and the host printed
 */
export async function pushCommit(git: UserGit, directory: string, target: PushTarget, push: Push): Promise<string> {
  const how = [
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--no-signed',
    '--recurse-submodules=no',
    '--no-force',
  ];
  // One argument each, so that git does not take a value that begins with a dash for an option.
  const options = (push.options ?? []).map((option) => `--push-option=${option}`);
  const args = ['push', ...how, ...options, '--', REMOTE_NAME, `${push.commit}:${push.ref}`];
  const end = await atTarget(git, directory, target, args, push);
  if (end.timedOut) {
    throw new PushFailure('timeout', '');
  }
  if (end.exitCode !== 0) {
    throw pushFailure(end.stdout, end.stderr, secretsOf(target));
  }
  return end.stderr;
}

/** How many names of one commit are read. */
const MAX_NAMES = 10_000;

/** A list of references as git prints it. It can have megabytes, so only the lines that are asked for are read. */
export class RemoteReferences {
  constructor(private readonly listed: string) {}

  has(name: string): boolean {
    return this.listed.includes(`\t${name}\n`);
  }

  /** The commit that the host has checked out. Its line is the first. */
  get head(): string | undefined {
    return /^(\w{40,64})\tHEAD\n/.exec(this.listed)?.[1];
  }

  /** The names of a commit. */
  namesOf(commit: string): string[] {
    const start = `${commit}\t`;
    const names: string[] = [];
    let at = this.listed.indexOf(start);
    while (at !== -1 && names.length < MAX_NAMES) {
      const end = this.listed.indexOf('\n', at);
      names.push(this.listed.slice(at + start.length, end));
      at = end === -1 ? -1 : this.listed.indexOf(start, end);
    }
    return names;
  }
}

/** The references of the host that match the patterns. Throws PushFailure, or the signal's reason. */
export async function remoteReferences(
  git: UserGit,
  directory: string,
  target: PushTarget,
  patterns: readonly string[],
  limits: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined },
): Promise<RemoteReferences> {
  const end = await atTarget(git, directory, target, ['ls-remote', '--quiet', '--', REMOTE_NAME, ...patterns], limits);
  if (end.timedOut) {
    throw new PushFailure('timeout', '');
  }
  if (end.exitCode !== 0) {
    throw pushFailure('', end.stderr, secretsOf(target));
  }
  return new RemoteReferences(end.stdout);
}

/** Fetches references of the host. Throws PushFailure, or the signal's reason. */
export async function fetchReferences(
  git: UserGit,
  directory: string,
  target: PushTarget,
  references: readonly string[],
  limits: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined },
): Promise<void> {
  const end = await atTarget(git, directory, target, ['fetch', ...FETCH, '--', REMOTE_NAME, ...references], limits);
  if (end.timedOut) {
    throw new PushFailure('timeout', '');
  }
  if (end.exitCode !== 0) {
    throw pushFailure('', end.stderr, secretsOf(target));
  }
}

/** Returns the host's default branch, without `refs/heads/`; undefined if git can't tell. */
export async function remoteHead(
  git: UserGit,
  directory: string,
  target: PushTarget,
  limits: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  const end = await atTarget(git, directory, target, ['ls-remote', '--symref', '--', REMOTE_NAME, 'HEAD'], limits);
  // It is the first line. A host can print megabytes.
  const [line = ''] = end.stdout.slice(0, 1_000).split('\n', 1);
  return /^ref: refs\/heads\/([^\t]{1,250})\tHEAD$/.exec(line)?.[1];
}

/** Changes nothing but the references that are named. */
export const FETCH = [
  '--quiet',
  '--prune',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
];

function atTarget(
  git: UserGit,
  directory: string,
  target: PushTarget,
  args: readonly string[],
  { timeoutMs = PUSH_TIMEOUT_MS, signal }: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined },
) {
  // Not on the command line: an address may contain a password.
  const settings: Settings = [[`remote.${REMOTE_NAME}.url`, target.url], ...loginSettings(target)];
  const environment: Record<string, string> = {};
  if (isHttp(target.url)) {
    environment['GIT_ALLOW_PROTOCOL'] = new URL(target.url).protocol === 'http:' ? 'http' : 'https';
  }
  if (target.login !== undefined) {
    environment['DOCS_AGENT_USERNAME'] = target.login.username;
    environment['DOCS_AGENT_PASSWORD'] = target.login.password;
  }
  return git.run(directory, args, { settings, environment, timeoutMs, signal });
}

/** A credential helper that only answers git's requests and stores nothing. The values come from the environment. */
const HELPER = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$DOCS_AGENT_USERNAME" "$DOCS_AGENT_PASSWORD"; }; f`;

/**
 * A credential helper for that one origin instead of a header, which git would send to any host that it contacts.
 */
function loginSettings({ url, login }: PushTarget): Settings {
  if (login === undefined || !isHttp(url)) {
    return [];
  }
  const scope = `credential.${new URL(url).origin}`;
  return [
    // An empty value discards the helpers named before, including those for all hosts.
    [`${scope}.helper`, ''],
    [`${scope}.helper`, HELPER],
  ];
}

function isHttp(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

function secretsOf({ url, login }: PushTarget): string[] {
  const inUrl = isHttp(url) ? decodeUserInfo(new URL(url).password) : '';
  return [login?.password ?? '', inUrl];
}

/** The list of commits whose parents a shallow repository lacks: one id per line. */
const SHALLOW = /^([0-9a-f]{40,64}\n)+$/;

/** The names that `mkdtemp` makes below. */
const MADE = /^push-[A-Za-z0-9]{6}$/;

/**
 * Calls `use` with a new bare git directory that shares the objects of another but nothing else: no configuration, no
 * references, no hooks. Deletes it afterwards.
 *
 * @param parent a folder of the service's own, where no confined agent can write: git runs there with the user's
 *   credentials, and follows the configuration of that directory
 * @param commit its length determines the object format of that repository
 */
export async function withPushDirectory<T>(
  git: Git,
  parent: string,
  hostGit: string,
  commit: string,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  await makePrivateFolder(parent);
  const directory = await mkdtemp(join(parent, 'push-'));
  try {
    const format = commit.length === 64 ? ['--object-format=sha256'] : [];
    await git.run({ folder: directory }, ['init', '--quiet', '--bare', '--template=', ...format, '--', directory]);
    await writeFile(join(directory, 'objects', 'info', 'alternates'), `${join(hostGit, 'objects')}\n`);
    const shallow = await readPlainFile(join(hostGit, 'shallow'));
    if (SHALLOW.test(shallow)) {
      await writeFile(join(directory, 'shallow'), shallow);
    }
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Empty for anything but a regular file: links are not followed, and reading a pipe would block forever. */
async function readPlainFile(path: string): Promise<string> {
  const isFile = await lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? readFile(path, 'utf8') : '';
}

/** Removes only what a killed service has left. Must be called before anything is pushed. */
export async function removeStalePushDirectories(parent: string): Promise<void> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((each) => each.isDirectory() && MADE.test(each.name))) {
    await rm(join(parent, entry.name), { recursive: true, force: true, maxRetries: 3 });
  }
}
