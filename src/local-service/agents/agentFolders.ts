import type { Dirent } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** What an agent may write in the sandbox besides its work. Paths below the user's home folder; folders end in a slash. */
interface AgentFolders {
  /** Its own folders and files. New files may be created there; what exists is read-only unless it is state or data. */
  writes: readonly string[];
  /** What it keeps there: conversations, logs, caches. `*` stands for everything in a folder. */
  state: readonly string[];
  /** What it can't create either: settings, and programs that it, or the user's editor, would run at the next start. */
  readOnly: readonly string[];
  /** Settings that look like data. They can't be created only if they exist: the agent fails at the sandbox's stand-in. */
  readOnlyIfPresent?: readonly string[];
}

/** By the name of the agent (`KnownAgent`). From each agent's documentation, and from what its package writes. */
export const AGENT_FOLDERS: Readonly<Record<string, AgentFolders>> = {
  claude: {
    writes: ['.claude/', '.claude.json'],
    // Without `shell-snapshots` and `session-env`, which the shells of other sessions run.
    state: inFolder('.claude/', [
      ...['projects', 'sessions', 'todos', 'tasks', 'plans', 'teams', 'file-history', 'backups', 'usage-data'],
      ...['statsig', 'telemetry', 'debug', 'logs', 'cache', 'paste-cache', 'image-cache', 'uploads', 'state'],
    ]),
    readOnly: inFolder('.claude/', [
      ...['settings.json', 'settings.local.json', 'hooks/', 'agents/', 'commands/', 'skills/', 'plugins/', 'CLAUDE.md'],
      ...['rules/', 'output-styles/', 'workflows/', 'local/', 'daemon.json', 'scheduled_tasks.json'],
    ]),
  },
  codex: {
    writes: ['.codex/'],
    state: inFolder('.codex/', [
      ...['sessions', 'archived_sessions', 'log', 'memories', 'thread-writer-locks', 'sqlite', 'cache'],
      ...['installation_id', '.sandbox_migration', '.personality_migration'],
    ]),
    readOnly: inFolder('.codex/', [
      ...['config.toml', 'hooks.json', 'hooks/', 'rules/', 'skills/', 'AGENTS.md', 'AGENTS.override.md', '.env'],
      ...['agents/', 'prompts/', 'plugins/', 'packages/', 'bin/'],
    ]),
  },
  gemini: {
    // Named as well, because only then can’t it be moved to make room for another `bin`.
    writes: ['.gemini/', '.gemini/tmp/'],
    state: inFolder('.gemini/', ['tmp', 'tmp/*', 'history', 'memory', 'installation_id']),
    readOnly: inFolder('.gemini/', [
      ...['settings.json', '.env', 'GEMINI.md', 'system.md', 'trusted_hooks.json'],
      ...['extensions/', 'policies/', 'commands/', 'skills/', 'agents/', 'hooks/', 'bin/', 'tmp/bin/'],
    ]),
    readOnlyIfPresent: ['.gemini/trustedFolders.json'],
  },
  opencode: {
    writes: ['.config/opencode/', '.local/share/opencode/', '.local/state/opencode/', '.cache/opencode/'],
    state: [
      ...inFolder('.local/share/opencode/', ['log', 'snapshot', 'storage', 'project', 'repos', 'plans', 'tool-output']),
      ...['.local/state/opencode/locks', '.cache/opencode/version'],
    ],
    readOnly: [
      ...inFolder('.config/opencode/', [
        ...['opencode.json', 'opencode.jsonc', 'config.json', 'tui.json', 'tui.jsonc', 'AGENTS.md'],
        ...[
          'plugin/',
          'plugins/',
          'tool/',
          'tools/',
          'agent/',
          'agents/',
          'command/',
          'commands/',
          'skill/',
          'skills/',
        ],
        ...['mode/', 'modes/', 'package.json', 'node_modules/'],
      ]),
      ...inFolder('.cache/opencode/', ['bin/', 'packages/', 'node_modules/', 'package.json', 'skills/']),
      '.local/share/opencode/bin/',
    ],
  },
  copilot: {
    writes: ['.copilot/'],
    state: inFolder('.copilot/', ['logs', 'session-state', 'history-session-state', 'command-history-state']),
    readOnly: inFolder('.copilot/', [
      ...['config.json', 'settings.json', 'mcp-config.json', 'lsp-config.json', 'permissions-config.json', 'hooks/'],
      ...[
        'agents/',
        'skills/',
        'instructions/',
        'copilot-instructions.md',
        'extensions/',
        'installed-plugins/',
        'pkg/',
      ],
    ]),
  },
  cursor: {
    writes: ['.cursor/', '.config/cursor/'],
    state: [
      ...inFolder('.cursor/', ['chats', 'projects', 'acp-sessions', 'plans', 'logs', 'ai-tracking', 'snapshots']),
      '.config/cursor/chats',
    ],
    readOnly: [
      ...inFolder('.cursor/', [
        ...['mcp.json', 'hooks.json', 'cli-config.json', 'argv.json', 'permissions.json', 'sandbox.json', 'hooks/'],
        ...['rules/', 'commands/', 'agents/', 'skills/', 'skills-cursor/', 'plugins/', 'extensions/'],
      ]),
      ...inFolder('.config/cursor/', ['cli-config.json', 'mcp.json', 'hooks.json']),
    ],
  },
  goose: {
    writes: ['.config/goose/', '.local/share/goose/', '.local/state/goose/'],
    state: [
      ...['.config/goose/memory', '.config/goose/secrets.yaml', '.local/share/goose/sessions'],
      ...inFolder('.local/state/goose/', ['logs', 'history.txt']),
    ],
    readOnly: [
      ...inFolder('.config/goose/', [
        ...['config.yaml', 'profiles.yaml', 'permission.yaml', 'permissions/', 'recipes/', 'prompts/', 'skills/'],
        ...['custom_providers/', '.goosehints'],
      ]),
      ...inFolder('.local/share/goose/', ['schedule.json', 'scheduled_recipes/', 'plugins/', 'skills/']),
    ],
  },
};

/** Files that no program runs: databases and records, and what belongs to them. */
const DATA = /\.(jsonl?|db|sqlite|log|lock|key)(-(wal|shm|journal))?$/;

/**
 * Returns the absolute paths that an agent may write, and those among them that it may not. Creates the missing folders:
 * the sandbox would leave out the first, and put a file in the place of the others, at which some agents fail.
 */
export async function writableFolders(
  { writes, state, readOnly, readOnlyIfPresent = [] }: AgentFolders,
  home: string,
): Promise<{ allowWrite: string[]; denyWrite: string[] }> {
  const folders = [...writes, ...readOnly].filter((path) => path.endsWith('/'));
  // A folder that can't be created is missing from the sandbox, too.
  await Promise.all(folders.map((path) => mkdir(join(home, path), { recursive: true }).catch(() => undefined)));
  const isWritable = (folder: string, entry: Dirent): boolean =>
    state.includes(`${folder}*`) ||
    state.includes(`${folder}${entry.name}`) ||
    (entry.isFile() && DATA.test(entry.name) && !readOnlyIfPresent.includes(`${folder}${entry.name}`));
  const others = await Promise.all(
    writes.map(async (folder) => {
      const entries = await readdir(join(home, folder), { withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => !isWritable(folder, entry)).map(({ name }) => `${folder}${name}`);
    }),
  );
  const absolute = (paths: readonly string[]) => [...new Set(paths.map((path) => resolve(home, path)))];
  return { allowWrite: absolute(writes), denyWrite: absolute([...readOnly, ...others.flat()]) };
}

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}${name}`);
}
