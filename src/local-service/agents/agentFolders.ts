import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type AgentName, isOn } from './knownAgents';

/**
 * What an agent may write in the sandbox besides its work. The rest of its folders is read-only: settings, programs, and
 * whatever a later version keeps there, because the user's own agent would obey it at the next start, outside the sandbox.
 */
export interface AgentFolders {
  /**
   * Records that no program runs or obeys, and sign-ins. Paths below the user's home folder; folders end in a slash. A
   * star is the path of the work folder, with hyphens for all but letters and digits.
   */
  writes: readonly string[];
  /** What it can't write, or create, in those folders, and other folders without which it fails. */
  readOnly?: readonly string[];
  /** Its own settings, which may name the servers that it uses. `$NAME` is the path in that variable. */
  configuration?: readonly string[];
  /** Options with which its program unpacks itself and ends, which it can't do in the sandbox. */
  unpacks?: readonly string[];
  /** What its configuration says if its own sandbox works inside another one, where it hangs otherwise (on Linux). */
  nested?: RegExp;
  /** Files without which it fails, created empty. */
  creates?: readonly string[];
  /** Variables that move the rest of what it must write into the job's own folder, and the paths there. */
  moved?: Readonly<Record<string, string>>;
  /** For an agent that must create files next to its settings: a home folder that links to its own, or only that folder (`isOfFolder`), what is left out, and what is kept in the job's folder. */
  links?: { variable: string; isOfFolder?: true; folder: string; without: readonly string[]; kept: string };
}

/** By the name of the agent (`KnownAgent`). From each agent's documentation, and from what its package writes. */
export const AGENT_FOLDERS: Readonly<Record<AgentName, AgentFolders>> = {
  claude: {
    // `.claude.json` holds settings, too, but is written at each start. `.claude` lacks `shell-snapshots` and
    // `session-env`, which the shells of other sessions run. In `projects`, each folder has a memory, which it reads there.
    writes: [
      '.claude.json',
      ...inFolder('.claude/', [
        ...['.credentials.json', 'history.jsonl', 'projects/*/', 'sessions/', 'todos/', 'tasks/', 'plans/'],
        ...['file-history/', 'usage-data/', 'statsig/', 'telemetry/', 'debug/', 'logs/', 'paste-cache/'],
        ...['image-cache/', 'uploads/'],
      ]),
    ],
    configuration: ['.claude/settings.json'],
  },
  codex: {
    writes: inFolder('.codex/', [
      ...['auth.json', 'installation_id', 'sessions/', 'archived_sessions/', 'log/', 'thread-writer-locks/'],
    ]),
    configuration: ['.codex/config.toml'],
    nested: /^use_legacy_landlock *= *true/m,
    creates: ['.codex/installation_id'],
    moved: { CODEX_SQLITE_HOME: '' },
  },
  gemini: {
    // `history` holds Git directories, whose configuration can name programs. `tmp` holds programs and memories.
    writes: inFolder('.gemini/', ['oauth_creds.json', 'installation_id']),
    configuration: ['.gemini/settings.json', '.gemini/.env'],
    links: { variable: 'GEMINI_CLI_HOME', folder: '.gemini', without: ['history', 'projects.json'], kept: 'tmp' },
  },
  opencode: {
    // Its `auth.json` and its database can name a server whose settings it loads; `models.json` names packages. `snapshot`
    // and `repos` hold Git directories, whose configuration can name programs. Version 1.1 obeys the permissions in
    // `storage`.
    writes: [
      ...inFolder('.local/share/opencode/', ['log/', 'storage/', 'plans/', 'tool-output/']),
      '.local/state/opencode/locks/',
    ],
    readOnly: [
      ...['.config/opencode/', '.cache/opencode/bin/'],
      ...inFolder('.local/share/opencode/', ['bin/', 'repos/', 'storage/permission/']),
    ],
    configuration: [
      '$OPENCODE_CONFIG',
      ...inFolder('.config/opencode/', ['config.json', 'opencode.json', 'opencode.jsonc']),
    ],
    creates: ['.config/opencode/.gitignore'],
    moved: { OPENCODE_DB: 'opencode.db' },
  },
  copilot: {
    writes: inFolder('.copilot/', ['logs/', 'session-state/', 'history-session-state/', 'command-history-state/']),
    configuration: inFolder('.copilot/', ['config.json', 'settings.json']),
    unpacks: ['--acp'],
  },
  cursor: {
    // `projects` records which servers and folders the user trusts.
    writes: [
      ...inFolder('.cursor/', ['chats/', 'acp-sessions/', 'plans/', 'logs/', 'ai-tracking/']),
      ...inFolder('.config/cursor/', ['auth.json', 'chats/']),
    ],
  },
  goose: {
    // A conversation in its data folder names the servers that it starts when it is resumed.
    writes: ['.config/goose/secrets.yaml', '.local/state/goose/logs/'],
    configuration: ['.config/goose/config.yaml'],
    moved: { XDG_DATA_HOME: '' },
  },
  qwen: {
    writes: inFolder('.qwen/', ['oauth_creds.json', 'installation_id']),
    configuration: inFolder('.qwen/', ['settings.json', '.env']),
    moved: { QWEN_RUNTIME_DIR: 'runtime' },
    links: {
      ...{ variable: 'QWEN_HOME', isOfFolder: true, folder: '.qwen' },
      ...{ without: ['extension-store', 'tmp'], kept: 'usage' },
    },
  },
  kilo: {
    // As opencode, of which it is a fork.
    writes: inFolder('.local/share/kilo/', ['log/', 'storage/', 'plans/', 'tool-output/', 'telemetry-id']),
    readOnly: [
      ...['.config/kilo/', '.cache/kilo/bin/'],
      ...inFolder('.local/share/kilo/', ['bin/', 'repos/', 'state/', 'storage/permission/']),
    ],
    configuration: ['$KILO_CONFIG', ...inFolder('.config/kilo/', ['config.json', 'kilo.json', 'kilo.jsonc'])],
    creates: [
      ...inFolder('.config/kilo/', ['.gitignore', '.bash-permission-migrated']),
      '.local/share/kilo/telemetry-id',
    ],
    // Its own sandbox can't run inside this one, so it gets the name of a program that doesn't exist.
    moved: { KILO_DB: 'kilo.db', XDG_STATE_HOME: 'state', KILO_BWRAP_PATH: 'none' },
  },
  cline: {
    // Its `settings` name servers, for models and for tools.
    writes: inFolder('.cline/data/', ['locks/', 'logs/']),
    configuration: ['.cline/data/settings/providers.json'],
    moved: { CLINE_SESSION_DATA_DIR: 'sessions', CLINE_DB_DATA_DIR: 'db', CLINE_TEAM_DATA_DIR: 'teams' },
  },
  droid: { writes: [] },
  auggie: { writes: ['.augment/session.json'] },
};

/**
 * Returns the absolute paths that an agent may write to, and the read-only paths among them. Creates missing folders:
 * the sandbox would leave out writable ones, and replace read-only ones with a file, which makes some agents fail.
 * Missing files are left out as well.
 */
export async function writableFolders(
  { writes: patterns, readOnly = [], creates = [] }: AgentFolders,
  home: string,
  work: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ allowWrite: string[]; denyWrite: string[] }> {
  const writes = patterns.map((path) => path.replace('*', work.replace(/[^a-zA-Z0-9]/g, '-')));
  const folders = [...writes, ...readOnly].filter((path) => path.endsWith('/'));
  const place = (path: string): string => placeIn(home, path, environment);
  // A folder that can't be created is missing from the sandbox, too.
  await Promise.all(folders.map((path) => mkdir(place(path), { recursive: true }).catch(() => undefined)));
  await Promise.all(creates.map((path) => writeFile(place(path), '', { flag: 'a' }).catch(() => undefined)));
  return { allowWrite: writes.map(place), denyWrite: readOnly.map(place) };
}

/** Variables that name another folder instead of the usual one in the home folder. */
const MOVED_BY_USER: readonly (readonly [variable: string, usual: string])[] = [
  ['CLAUDE_CONFIG_DIR', '.claude/'],
  ['CLAUDE_CONFIG_DIR', '.claude.json'],
  ['CODEX_HOME', '.codex/'],
  ['COPILOT_HOME', '.copilot/'],
  ['QWEN_HOME', '.qwen/'],
  ['CLINE_DATA_DIR', '.cline/data/'],
  ['CLINE_DIR', '.cline/'],
  ['XDG_CONFIG_HOME', '.config/'],
  ['XDG_DATA_HOME', '.local/share/'],
  ['XDG_STATE_HOME', '.local/state/'],
  ['XDG_CACHE_HOME', '.cache/'],
];

/** Resolves one of an agent's own paths, given its environment. */
export function placeIn(home: string, path: string, environment: NodeJS.ProcessEnv): string {
  if (path.startsWith('$')) {
    return resolve(home, environment[path.slice(1)] ?? '');
  }
  const [name = '', usual = ''] =
    MOVED_BY_USER.find(([variable, folder]) => isOn(environment[variable]) && path.startsWith(folder)) ?? [];
  const other = environment[name];
  // This one moves into the folder.
  const rest = path === '.claude.json' ? path : path.slice(usual.length);
  return other === undefined ? resolve(home, path) : resolve(home, other, rest);
}

/**
 * Fills the new folder `target` with links to what the agent's own folder contains, and to what is kept in `state`.
 * Returns the variable to set.
 */
export async function linkFolder(
  { variable, isOfFolder, folder, without, kept }: NonNullable<AgentFolders['links']>,
  own: string,
  target: string,
  state: string,
): Promise<string> {
  const all = await readdir(own).catch(() => []);
  const names = all.filter((name) => name !== kept && !without.includes(name));
  await mkdir(join(target, folder), { recursive: true });
  await mkdir(join(state, kept), { recursive: true });
  await symlink(join(state, kept), join(target, folder, kept));
  await Promise.all(names.map((name) => symlink(resolve(own, name), join(target, folder, name))));
  return `${variable}=${isOfFolder ? join(target, folder) : target}`;
}

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}${name}`);
}
