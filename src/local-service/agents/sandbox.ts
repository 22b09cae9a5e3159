import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../base/files';
import { allowedEnvironment } from '../../git/environment';
import { findProgram } from '../../git/programPaths';
import { coded, type CodedText } from '../../protocol/codedText';
import { joinTexts } from '../codedText';
import { removeAll } from '../removeFolder';
import { TurnFailure } from '../turnFailure';
import { AGENT_FOLDERS, type AgentFolders, linkFolder, placeIn, writableFolders } from './agentFolders';
import type { AgentTask } from './agentDriver';
import { reachOf } from './agentHosts';
import { isDemoAgent } from './demoAgent';
import { findKnownAgent, isOn, type KnownAgent } from './knownAgents';
import { OutputTail } from './outputTail';

const run = promisify(execFile);

/** How long the sandbox program may take to run a program that does nothing, in milliseconds. */
const TRY_MS = 30_000;

/** Kept in the job's own folder. */
const SETTINGS_FILE = 'confinement.json';
/** What the agent would otherwise keep in its own folders. Stays from turn to turn. */
const STATE_FOLDER = 'agent';

/** Where other programs keep their keys, in the user's home folder. */
const SECRETS = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.netrc', '.git-credentials', '.npmrc', '.pypirc'],
  ...['.docker/config.json', '.config/gh', '.config/glab-cli', '.config/gcloud', '.config/git/credentials'],
];

/** The service's files in its data folder, above the job folders. Its key gives access to all jobs. */
const OWN_FILES = ['key', 'service.db', 'service.db-wal', 'service.db-shm'];

/** Damaged databases that were moved aside, and unfinished keys. */
const LEFT_OVER = /^(service\.db\.damaged-|key\.)/;

/** Variables that name the files with a worker's secrets. */
const SECRET_FILES = ['DOCS_AGENT_DATABASE_FILE', 'DOCS_AGENT_TOKENS_FILE'];

/** For the switches of other clouds: where their credentials are, which the agent then needs. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  CLAUDE_CODE_USE_BEDROCK: '.aws',
  CLAUDE_CODE_USE_VERTEX: '.config/gcloud',
  GOOGLE_GENAI_USE_VERTEXAI: '.config/gcloud',
};

/** What to start, in which folder, and why not in the sandbox. */
export interface SandboxedCommand {
  command: readonly string[];
  /** Undefined if it is not sandboxed. */
  folder?: string;
  note?: CodedText;
}

/**
 * Runs the command in the user's own sandbox program, `srt` of @anthropic-ai/sandbox-runtime, if the project's settings
 * say so and it can be used. The agent can then write to its work folder, a folder of the job, its temporary folder, and
 * what `AGENT_FOLDERS` and the settings list, and can reach its own hosts. Throws TurnFailure if the sandbox is required.
 *
 * @param temporary the agent's folder for temporary files
 * @param environment the service's own
 * @param seen the agent's
 */
export async function wrapInSandbox(
  command: readonly string[],
  task: AgentTask,
  temporary: string,
  environment: NodeJS.ProcessEnv,
  seen: NodeJS.ProcessEnv = environment,
): Promise<SandboxedCommand> {
  if (task.confine === 'off' || (task.confine === 'auto' && isDemoAgent(task.command))) {
    return { command };
  }
  const agent = findKnownAgent(task.command[0] ?? '');
  const folders = agent && AGENT_FOLDERS[agent.name];
  const home = environment['HOME'] ?? homedir();
  const configuration = (folders?.configuration ?? []).map((path) => placeIn(home, path, seen));
  const reach = await reachOf(agent, seen, configuration, task.allowedHosts);
  const srt = (task.confine === 'auto' ? doubtAbout(task, agent, seen) : undefined) ?? (await findSandbox(environment));
  const why =
    (typeof srt === 'string' ? undefined : srt) ??
    (agent && folders?.nested && !(await saysSo(configuration, folders.nested))
      ? coded('sandboxNested', { title: agent.title })
      : undefined) ??
    (reach.beyond && coded('sandboxBeyond', { host: reach.beyond }));
  if (why !== undefined && task.confine === 'require') {
    throw new TurnFailure(coded('sandboxRequired', { why }));
  }
  if (why !== undefined || typeof srt !== 'string') {
    return { command, ...(why && { note: coded('notSandboxed', { why }) }) };
  }
  const file = join(task.directory, SETTINGS_FILE);
  const state = join(task.directory, STATE_FOLDER);
  await mkdir(state, { mode: PRIVATE_FOLDER, recursive: true });
  if (folders?.unpacks !== undefined) {
    const options = { cwd: temporary, env: seen, timeout: TRY_MS };
    const unpacking = run(command[0] ?? '', [...folders.unpacks], options);
    unpacking.child.stdin?.end();
    await unpacking.catch(() => undefined);
  }
  const filesystem = await filesOf(task, folders, [temporary, state], environment, seen);
  // On macOS, the sandbox has no loopback of its own, and some agents use it between their own processes.
  const network = { allowedDomains: reach.hosts, deniedDomains: [], allowLocalBinding: process.platform === 'darwin' };
  await writeFile(file, JSON.stringify({ network, filesystem }, undefined, 2), { mode: PRIVATE_FILE });
  // Set inside, because the sandbox program sets its own TMPDIR, which all confined programs share, and excepts private
  // networks from its proxy, through which alone they can be reached.
  const direct = 'localhost,127.0.0.1,::1';
  const { moved = {}, links } = folders ?? {};
  const variables = [`TMPDIR=${temporary}`, `NO_PROXY=${direct}`, `no_proxy=${direct}`];
  variables.push(...Object.entries(moved).map(([name, path]) => `${name}=${join(state, path)}`));
  if (links !== undefined) {
    variables.push(await linkFolder(links, placeIn(home, `${links.folder}/`, seen), join(temporary, 'home'), state));
  }
  const forward = process.platform === 'linux' ? reach.local.map(forwarder) : [];
  const script = [...forward, 'unset SRT_DEBUG; cd "$1" || exit; shift; exec "$@"'].join(' ');
  const inside = ['/bin/sh', '-c', script, 'sh', task.folder, '/usr/bin/env', ...variables, ...command];
  // It starts in an empty folder: in the current one, it puts empty files in the place of settings, such as `.mcp.json`.
  return { command: [srt, '--settings', file, '--debug', '--', ...inside], folder: temporary };
}

async function saysSo(files: readonly string[], words: RegExp): Promise<boolean> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return process.platform === 'linux' && texts.some((text) => words.test(text));
}

/** Makes a server on this machine reachable at its own address in the sandbox, through the sandbox's proxy. */
function forwarder(address: string): string {
  const port = address.slice(address.lastIndexOf(':') + 1);
  const listen = address.startsWith('[') ? `TCP6-LISTEN:${port},bind=[::1]` : `TCP4-LISTEN:${port}`;
  const [token, proxyPort] = ['p=${HTTP_PROXY%@*}; p=${p##*:}', '${HTTP_PROXY##*:}'];
  const target = `PROXY:localhost:${address},proxyport=${proxyPort},proxyauth=srt:$p`;
  return `${token}; socat "${listen},fork,reuseaddr" "${target}" >/dev/null 2>&1 &`;
}

/** Why the agent might not work in the sandbox, where none has been tested with it or its sign-in can't be reached. */
function doubtAbout(
  { command: [program = ''], allowedHosts, writableFolders }: AgentTask,
  agent: KnownAgent | undefined,
  seen: NodeJS.ProcessEnv,
): CodedText | undefined {
  if (agent?.tested?.with !== 'model') {
    const isTold = allowedHosts.length + writableFolders.length > 0;
    return isTold ? undefined : coded('sandboxUnknownAgent', { program: basename(program) });
  }
  const usesKeyring = process.platform === 'linux' && seen['DBUS_SESSION_BUS_ADDRESS'] !== undefined;
  const { title, variables, keys } = agent;
  return usesKeyring && variables.includes('DBUS_SESSION_BUS_ADDRESS') && !keys.some((name) => isOn(seen[name]))
    ? coded('sandboxKeyring', { title, variable: keys[0] ?? '' })
    : undefined;
}

/** The sandbox programs that have worked, by their path. */
const working = new Set<string>();

/** The path of the sandbox program, or why no agent can be sandboxed on this machine. */
export async function findSandbox(environment: NodeJS.ProcessEnv): Promise<string | CodedText> {
  const needs = sandboxNeeds();
  if (needs === undefined) {
    return coded('sandboxNotHere');
  }
  const srt = await findProgram('srt', environment);
  const found = await Promise.all(Object.keys(needs).map((program) => findProgram(program, environment)));
  const missing = Object.values(needs).filter((_, index) => found[index] === undefined);
  const lacks = missing.length === 0 ? undefined : coded('sandboxNeeds', { names: missing.join(', ') });
  if (srt === undefined) {
    const first = coded('sandboxMissing');
    return joinTexts(first, lacks) ?? first;
  }
  if (lacks !== undefined) {
    return lacks;
  }
  const words = working.has(srt) ? undefined : await problemOf(srt, environment);
  if (words !== undefined) {
    return coded('sandboxFails', { words });
  }
  working.add(srt);
  return srt;
}

/** Runs `true` in the sandbox, which fails for example in a container without user namespaces. Returns what it says. */
async function problemOf(srt: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'docs-agent-'));
  try {
    const file = join(folder, SETTINGS_FILE);
    const [network, filesystem] = [
      { allowedDomains: ['localhost:80'], deniedDomains: [] },
      { denyRead: [], allowRead: [], allowWrite: [folder], denyWrite: [] },
    ];
    await writeFile(file, JSON.stringify({ network, filesystem }));
    const env = allowedEnvironment(environment);
    await run(srt, ['--settings', file, '--', 'true'], { cwd: folder, env, timeout: TRY_MS });
    return undefined;
  } catch (error) {
    const said = new OutputTail(4096);
    said.add(Buffer.from((error as { stderr?: string }).stderr ?? ''));
    return said.problemLine() || String(error);
  } finally {
    await removeAll(folder);
  }
}

async function filesOf(
  task: AgentTask,
  folders: AgentFolders | undefined,
  ofJob: readonly string[],
  environment: NodeJS.ProcessEnv,
  seen: NodeJS.ProcessEnv,
) {
  const home = environment['HOME'] ?? homedir();
  const ofAgent = folders && (await writableFolders(folders, home, await realpath(task.folder), seen));
  const data = join(task.directory, '..', '..');
  const leftOver = (await readdir(data).catch(() => [])).filter((name) => LEFT_OVER.test(name));
  const added = task.writableFolders.map((path) => resolve(path.replace(/^~(?=\/)/, home)));
  // `srt` ignores a missing one.
  await Promise.all(added.map((path) => mkdir(path, { recursive: true }).catch(() => undefined)));
  const needed = Object.entries(CREDENTIALS).flatMap(([name, path]) => (isOn(seen[name]) ? join(home, path) : []));
  return {
    denyRead: await real([
      ...SECRETS.map((name) => join(home, name)).filter((path) => ![...added, ...needed].includes(path)),
      ...[...OWN_FILES, ...leftOver].map((name) => join(data, name)),
      ...SECRET_FILES.flatMap((name) => environment[name] ?? []).map((file) => resolve(file)),
    ]),
    allowRead: [],
    allowWrite: await real([task.folder, ...ofJob, ...(ofAgent?.allowWrite ?? []), ...added]),
    denyWrite: await real(ofAgent?.denyWrite ?? []),
  };
}

/** `srt` ignores a writable folder whose path leads through a link. */
function real(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path).catch(() => path)));
}

/** By their program, the packages that `srt` needs; undefined on a platform where it is not used. */
export function sandboxNeeds(
  platform: NodeJS.Platform = process.platform,
): Readonly<Record<string, string>> | undefined {
  const linux = { bwrap: 'bubblewrap', socat: 'socat', rg: 'ripgrep' };
  return platform === 'linux' ? linux : platform === 'darwin' ? {} : undefined;
}
