import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../base/files';
import { findProgram } from '../../git/programPaths';
import { coded, type CodedText } from '../../protocol/codedText';
import { removeAll } from '../removeFolder';
import { AGENT_FOLDERS, linkFolder, writableFolders } from './agentFolders';
import type { AgentTask } from './agentDriver';
import { findKnownAgent } from './knownAgents';

/** Kept in the job's own folder. */
const SETTINGS_FILE = 'confinement.json';
const TEMPORARY_FOLDER = 'tmp';
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

/** A command, sandboxed or not, and a note for the user about that. */
export interface SandboxedCommand {
  command: readonly string[];
  note: CodedText | undefined;
}

/**
 * Runs the command in the user's own sandbox program, `srt` of @anthropic-ai/sandbox-runtime, if that and its
 * dependencies are installed. The agent can then write to its work folder, to two folders of the job and to what
 * `AGENT_FOLDERS` lists, and can reach its own hosts. Otherwise returns the command unchanged, with a note that says so.
 */
export async function wrapInSandbox(
  command: readonly string[],
  task: AgentTask,
  environment: NodeJS.ProcessEnv,
): Promise<SandboxedCommand> {
  const needs = sandboxNeeds();
  if (needs === undefined) {
    return { command, note: coded('notConfinedHere') };
  }
  const missing = await missingOf(['srt', ...needs], environment);
  const srt = await findProgram('srt', environment);
  if (srt === undefined || missing.length > 0) {
    const names = missing.map((name) => `“${name}”`).join(', ');
    return { command, note: coded('notConfined', { names }) };
  }
  const file = join(task.directory, SETTINGS_FILE);
  const temporary = join(task.directory, TEMPORARY_FOLDER);
  await removeAll(temporary);
  await mkdir(temporary, { mode: PRIVATE_FOLDER });
  const state = join(task.directory, STATE_FOLDER);
  await mkdir(state, { mode: PRIVATE_FOLDER, recursive: true });
  const data = join(task.directory, '..', '..');
  const leftOver = (await readdir(data).catch(() => [])).filter((name) => LEFT_OVER.test(name));
  const own = [...OWN_FILES, ...leftOver].map((name) => join(data, name));
  const content = JSON.stringify(await settings(task, [temporary, state], own, environment), undefined, 2);
  await writeFile(file, content, { mode: PRIVATE_FILE });
  // Set inside, because the sandbox program sets its own TMPDIR, which all confined programs share.
  const { moved = {}, links } = foldersOf(task) ?? {};
  const variables = Object.entries(moved).map(([name, path]) => `${name}=${join(state, path)}`);
  if (links !== undefined) {
    variables.push(await linkFolder(links, environment['HOME'] ?? homedir(), join(temporary, 'home'), state));
  }
  const inside = ['/usr/bin/env', `TMPDIR=${temporary}`, ...variables, ...command];
  return { command: [srt, '--settings', file, '--', ...inside], note: undefined };
}

async function missingOf(programs: readonly string[], environment: NodeJS.ProcessEnv): Promise<string[]> {
  const found = await Promise.all(programs.map((program) => findProgram(program, environment)));
  return programs.filter((_, index) => found[index] === undefined);
}

function foldersOf({ command }: AgentTask) {
  const agent = findKnownAgent(command[0] ?? '');
  return agent && AGENT_FOLDERS[agent.name];
}

async function settings(
  task: AgentTask,
  ofJob: readonly string[],
  own: readonly string[],
  environment: NodeJS.ProcessEnv,
) {
  const known = findKnownAgent(task.command[0] ?? '');
  const home = environment['HOME'] ?? homedir();
  const folders = foldersOf(task);
  const ofAgent = folders && (await writableFolders(folders, home, await realpath(task.folder)));
  return {
    network: { allowedDomains: [...(known?.hosts ?? [])], deniedDomains: [] },
    filesystem: {
      denyRead: [
        ...SECRETS.map((name) => join(home, name)),
        ...own,
        ...SECRET_FILES.flatMap((name) => environment[name] ?? []).map((file) => resolve(file)),
      ],
      allowRead: [],
      allowWrite: [task.folder, ...ofJob, ...(ofAgent?.allowWrite ?? [])],
      denyWrite: ofAgent?.denyWrite ?? [],
    },
  };
}

const LINUX = ['bwrap', 'socat', 'rg'];

/** The programs that `srt` of @anthropic-ai/sandbox-runtime needs; undefined on a platform where it is not used. */
export function sandboxNeeds(platform: NodeJS.Platform = process.platform): readonly string[] | undefined {
  return platform === 'linux' ? LINUX : platform === 'darwin' ? [] : undefined;
}
