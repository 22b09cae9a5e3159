import assert from 'node:assert/strict';
import { deepEqual, equal } from 'node:assert/strict';
import { AGENT_FOLDERS } from '../../../../src/local-service/agents/agentFolders';
import { type AgentName, KNOWN_AGENTS } from '../../../../src/local-service/agents/knownAgents';
import { turnPrompt } from '../../../../src/local-service/agents/turnPrompt';
import { sandboxNeeds } from '../../../../src/local-service/agents/sandbox';

/** What the agent's own program obeys or runs at its next start, and what the agent must be able to write. */
const PATHS: Readonly<Record<AgentName, { denied: readonly string[]; allowed: readonly string[] }>> = {
  claude: {
    denied: [
      ...['.claude/settings.json', '.claude/remote-settings.json', '.claude/hooks/x', '.claude/shell-snapshots/x.sh'],
      ...['.claude/session-env/x.sh', '.claude/plugins/x', '.claude/new.json', '.bashrc'],
      '.claude/projects/docs/memory/MEMORY.md',
    ],
    allowed: ['.claude.json', '.claude/.credentials.json', '.claude/projects/*/a.jsonl', '.claude/todos/a.json'],
  },
  codex: {
    denied: [
      ...['.codex/config.toml', '.codex/environments.toml', '.codex/.env', '.codex/models_cache.json'],
      ...['.codex/state_5.sqlite', '.codex/shell_snapshots/x.sh', '.codex/new.json', '.codex/memories/x.md'],
    ],
    allowed: ['.codex/auth.json', '.codex/sessions/2026/a.jsonl', '.codex/log/a.log'],
  },
  gemini: {
    denied: [
      ...['.gemini/settings.json', '.gemini/trustedFolders.json', '.gemini/history/docs/.git/config'],
      ...['.gemini/tmp/bin/rg', '.gemini/extensions/x', '.gemini/new.json', '.gemini/tmp/docs/memory/MEMORY.md'],
    ],
    allowed: ['.gemini/oauth_creds.json'],
  },
  opencode: {
    denied: [
      ...['.config/opencode/config', '.config/opencode/opencode.json', '.config/opencode/plugin/x.js'],
      ...['.cache/opencode/models.json', '.cache/opencode/packages/x', '.cache/opencode/version'],
      ...[
        'auth.json',
        'opencode.db',
        'opencode.db-wal',
        'bin/x',
        'snapshot/p/h/config',
        'repos/r/.git/config',
        'storage/permission/p.json',
      ].map((name) => `.local/share/opencode/${name}`),
    ],
    allowed: ['.local/share/opencode/log/a.log', '.local/state/opencode/locks/a'],
  },
  copilot: {
    denied: ['.copilot/config.json', '.copilot/mcp-config.json', '.copilot/pkg/x', '.copilot/new.json'],
    allowed: ['.copilot/logs/a.log', '.copilot/session-state/a/events.jsonl'],
  },
  cursor: {
    denied: ['.cursor/mcp.json', '.cursor/hooks.json', '.cursor/projects/docs/mcp-approvals.json', '.cursor/new.json'],
    allowed: ['.cursor/chats/a/store.db', '.config/cursor/auth.json'],
  },
  goose: {
    denied: [
      '.config/goose/config.yaml',
      '.local/share/goose/sessions/sessions.db',
      '.local/share/goose/schedule.json',
    ],
    allowed: ['.config/goose/secrets.yaml', '.local/state/goose/logs/a.log'],
  },
  qwen: {
    denied: ['.qwen/settings.json', '.qwen/trustedFolders.json', '.qwen/extensions/x', '.qwen/.env'],
    allowed: ['.qwen/oauth_creds.json'],
  },
  kilo: {
    denied: ['.config/kilo/kilo.json', '.local/share/kilo/auth.json', '.local/share/kilo/bin/x'],
    allowed: ['.local/share/kilo/log/a.log'],
  },
  cline: {
    denied: ['.cline/data/settings/providers.json', '.cline/hooks/x'],
    allowed: ['.cline/data/logs/hooks.jsonl'],
  },
  droid: { denied: ['.factory/settings.json', '.factory/mcp.json', '.factory/hooks/x'], allowed: [] },
  auggie: { denied: ['.augment/settings.json', '.augment/commands/x'], allowed: ['.augment/session.json'] },
};

const isIn = (path: string, list: readonly string[]) =>
  list.some((each) => (each.endsWith('/') ? path.startsWith(each) : path === each));

describe('the paths that an agent may write in the sandbox', () => {
  for (const { name } of KNOWN_AGENTS) {
    const { writes, readOnly = [] } = AGENT_FOLDERS[name];
    const mayWrite = (path: string) => isIn(path, writes) && !isIn(path, readOnly);
    const { denied, allowed } = PATHS[name];

    it(`leave out what ${name} obeys or runs at its next start`, () => {
      deepEqual(denied.filter(mayWrite), []);
    });

    it(`contain what ${name} must write`, () => {
      deepEqual(
        allowed.filter((path) => !mayWrite(path)),
        [],
      );
    });
  }
});

describe('turnPrompt', () => {
  it('never begins with a slash, because an agent would take the first word for a command', () => {
    assert.equal(turnPrompt([], '/guide is outdated'), '--- New message ---\n/guide is outdated');
    assert.equal(turnPrompt([], '\uFEFF \n/guide is outdated'), '--- New message ---\n\uFEFF \n/guide is outdated');
  });

  it('is the prompt itself on the first turn', () => assert.equal(turnPrompt([], ' as it is\n'), ' as it is\n'));

  it('puts the earlier messages before the new one in a follow-up', () => {
    const text = turnPrompt(
      [
        { prompt: 'First', finished: true, isInSession: true },
        { prompt: 'Second', finished: false, isInSession: false },
      ],
      'Third',
    );
    assert.match(
      text,
      /--- Earlier message 1 ---\nFirst\n\n--- Earlier message 2 \(not finished\) ---\nSecond\n\n--- New message ---\nThird$/,
    );
  });
});

describe('sandbox requirements', () => {
  it('are three programs on Linux and none on macOS, and there is no sandbox on Windows', () => {
    deepEqual(Object.keys(sandboxNeeds('linux') ?? {}), ['bwrap', 'socat', 'rg']);
    deepEqual(sandboxNeeds('darwin'), {});
    equal(sandboxNeeds('win32'), undefined);
  });
});
