import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../../base/files';
import { decodeUserInfo } from '../../base/network';
import type { Settings } from '../../git/environment';
import { lastWords } from '../../git/errors';
import { GIT_MS } from '../../git/git';
import { literally } from '../../git/repositorySettings';
import type { ProgramResult } from '../../git/runProgram';
import type { UserGit } from './userGit';
import { sanitize, redactSecrets } from '../text';

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
  return succeeded(await atTarget(git, directory, target, args, push), target).stderr;
}

/** A list of references as git prints it. It can have megabytes, so only the lines that are asked for are read. */
export class RemoteReferences {
  constructor(private readonly listed: string) {}

  has(name: string): boolean {
    return this.listed.includes(`\t${name}\n`);
  }

  commitOf(name: string): string | undefined {
    return new RegExp(`^(\\w{40,64})\t${literally(name)}$`, 'm').exec(this.listed)?.[1];
  }

  /** What `HEAD` names, without `refs/heads/`. */
  get defaultBranch(): string | undefined {
    return /^ref: refs\/heads\/([^\t\n]{1,250})\tHEAD$/m.exec(this.listed)?.[1];
  }

  /** The names of a commit. */
  namesOf(commit: string): string[] {
    const start = `${commit}\t`;
    const names: string[] = [];
    let at = this.listed.indexOf(start);
    while (at !== -1) {
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
  limits: Limits,
): Promise<RemoteReferences> {
  const args = ['ls-remote', '--quiet', '--symref', '--', REMOTE_NAME, ...patterns];
  return new RemoteReferences(succeeded(await atTarget(git, directory, target, args, limits), target).stdout);
}

interface Limits {
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** The folder that gets the objects, in place of that of the directory. */
  objects?: string;
  /** Whether objects may be missing there, so that git asks the host for them when it needs them. */
  isPartial?: boolean;
}

/** Fetches references of the host. Throws PushFailure, or the signal's reason. */
export async function fetchReferences(
  git: UserGit,
  directory: string,
  target: PushTarget,
  references: readonly string[],
  limits: Limits,
): Promise<void> {
  const partly = limits.isPartial === true ? ['--filter=blob:none'] : [];
  const args = ['fetch', ...FETCH, ...partly, '--', REMOTE_NAME, ...references];
  succeeded(await atTarget(git, directory, target, args, limits), target);
}

/** Fetches what a partial clone lacks of the files that differ in a range of commits. Throws like `fetchReferences`. */
export async function fetchContents(
  git: UserGit,
  directory: string,
  target: PushTarget,
  range: string,
  limits: Limits,
): Promise<void> {
  const args = ['diff', '--shortstat', '--no-ext-diff', '--no-textconv', range, '--'];
  succeeded(await atTarget(git, directory, target, args, limits), target);
}

function succeeded(end: ProgramResult, target: PushTarget): ProgramResult {
  if (end.timedOut) {
    throw new PushFailure('timeout', '');
  }
  if (end.exitCode !== 0) {
    throw pushFailure(end.stdout, end.stderr, secretsOf(target));
  }
  return end;
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
  { timeoutMs = GIT_MS, signal, objects, isPartial = false }: Limits,
) {
  // Not on the command line: an address may contain a password.
  const settings: Settings = [
    [`remote.${REMOTE_NAME}.url`, target.url],
    [`remote.${REMOTE_NAME}.promisor`, String(isPartial)],
    ...loginSettings(target),
  ];
  const environment: Record<string, string> = objects === undefined ? {} : { GIT_OBJECT_DIRECTORY: objects };
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

/**
 * Calls `use` with a new bare git directory that shares the objects of another but nothing else: no configuration, no
 * references, no hooks. Deletes it afterwards.
 *
 * @param parent a folder of the service's own, where no confined agent can write: git runs there with the user's
 *   credentials, and follows the configuration of that directory
 * @param commit its length determines the object format of that repository
 */
export async function withPushDirectory<T>(
  parent: string,
  hostGit: string,
  commit: string,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  await makePrivateFolder(parent);
  const directory = await mkdtemp(join(parent, 'push-'));
  try {
    const isLong = commit.length === 64;
    const settings = [
      `[core]\n\trepositoryFormatVersion = ${isLong ? 1 : 0}\n\tbare = true\n`,
      isLong ? '[extensions]\n\tobjectFormat = sha256\n' : '',
      // Otherwise, a push packs all history that it doesn't know the host to have, and old contents are missing here.
      (await isPartialClone(hostGit)) ? '[push]\n\tnegotiate = true\n' : '',
    ];
    // The commits whose parents a shallow repository lacks.
    const shallow = await readFile(join(hostGit, 'shallow'), 'utf8').catch(() => '');
    const files: Record<string, string> = {
      HEAD: 'ref: refs/heads/main\n',
      config: settings.join(''),
      'objects/info/alternates': `${join(hostGit, 'objects')}\n`,
      ...(shallow !== '' && { shallow }),
    };
    await mkdir(join(directory, 'objects', 'info'), { recursive: true });
    await mkdir(join(directory, 'refs'));
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)));
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Whether a git directory was made from a partial clone, so that it may lack what its commits contain. */
export async function isPartialClone(directory: string): Promise<boolean> {
  const packs = await readdir(join(directory, 'objects', 'pack')).catch(() => []);
  return packs.some((name) => name.endsWith('.promisor'));
}

/** Removes what a killed service has left. Must be called before anything is pushed. */
export function removeStalePushDirectories(parent: string): Promise<void> {
  return rm(parent, { recursive: true, force: true, maxRetries: 3 });
}

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
  /** A partial clone lacks what the push would send. */
  | 'objectsMissing'
  | 'other';

/** Why a push failed. `words` are git's or the host's own, without secrets and safe to show. */
export class PushFailure extends Error {
  constructor(
    readonly problem: PushProblem,
    readonly words: string,
    /** Whether the words are the host's own. */
    readonly isSaidByHost = false,
  ) {
    super(words === '' ? problem : words);
    this.name = 'PushFailure';
  }
}

/** In order of precedence: the first match is the cause, and what git prints after it only a consequence. */
const ERROR_PATTERNS: readonly (readonly [PushProblem, RegExp])[] = [
  ['objectsMissing', /^(?:fatal|error): (?:unable to read|bad object|Could not read) [0-9a-f]{40}/m],
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
  const [status, printed] = [stdout, stderr].map((text) => redactSecrets(text, secrets));
  return classifyFailure(status ?? '', printed ?? '');
}

function classifyFailure(stdout: string, stderr: string): PushFailure {
  const status = /^!\t\S*\t(.*)$/m.exec(stdout)?.[1] ?? '';
  const own = hostWords(stderr);
  const [problem] = ERROR_PATTERNS.find(([, pattern]) => pattern.test(stderr)) ?? ['other' as const];
  if (problem === 'objectsMissing') {
    return new PushFailure(problem, '');
  }
  if (/\[remote rejected\]|\[remote failure\]/.test(status)) {
    const reason = inParentheses(status.trimEnd());
    const isHook = /hook declined|proc-receive/.test(reason);
    // Someone else has pushed at the same moment.
    const isRace = / is at [0-9a-f]+ but expected |reference already exists|incorrect old value/.test(
      `${reason} ${own}`,
    );
    return new PushFailure(
      isRace ? 'rejected' : 'declined',
      sanitize(own === '' || !isHook ? `${reason} ${own}` : own),
    );
  }
  if (status.includes('[rejected]')) {
    return new PushFailure('rejected', sanitize(status));
  }
  // Over SSH, git says after each refusal that it couldn't read.
  const cause = problem === 'unreachable' && own !== '' ? 'declined' : problem;
  return new PushFailure(cause, sanitize(own === '' ? lastWords(stderr) : own), own !== '');
}

/** What the host said. Over SSH, it speaks before git does, and begins with `ERROR:`. */
function hostWords(stderr: string): string {
  const overSsh = stderr
    .split(/[\r\n]+/)
    .filter((line) => line.startsWith('ERROR: '))
    .map((line) => line.slice('ERROR: '.length).trim());
  return [...remoteLines(stderr), ...overSsh].join(' ');
}

/** The text in the parentheses at the end of a line; '' if there are none. */
function inParentheses(line: string): string {
  const open = line.indexOf('(');
  return open !== -1 && line.endsWith(')') ? line.slice(open + 1, -1) : '';
}

/** What the host itself printed, without the frames that hosts draw around it. */
export function remoteLines(stderr: string): string[] {
  return stderr
    .split(/[\r\n]+/)
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.slice('remote:'.length).trim())
    .filter((line) => !/^[=*# -]*$/.test(line));
}
