/** A coding agent that is known to speak the Agent Client Protocol, by itself or through an adapter. */
export interface KnownAgent {
  /** As the settings name it. */
  name: string;
  title: string;
  /** Its program, and the arguments that make it speak the protocol. */
  command: readonly [string, ...string[]];
  /** The agent's own program, where `command` is an adapter that starts it, and the variable that names it. */
  drives?: { program: string; variable: string };
  /** How to get what `command` names. */
  install: string;
  /** The variables of its own that it sees: keys, addresses, folders. */
  variables: readonly string[];
  /** What it writes beside its work, in the user's home folder, and the hosts that it has to reach: for confinement. */
  writes: readonly string[];
  hosts: readonly string[];
}

const ANTHROPIC = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL'];
const OPENAI = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID'];
const GOOGLE = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];

/** Where a program keeps its files, and how it reaches the desktop's store of logins. */
const FOLDERS = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'];
const KEYRING = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];

/** How the network is reached. */
const NETWORK = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** First choice first. GitHub's tokens are in none of them: an agent has no business with pull requests. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    command: ['claude-agent-acp'],
    drives: { program: 'claude', variable: 'CLAUDE_CODE_EXECUTABLE' },
    install: 'npm install --global @agentclientprotocol/claude-agent-acp',
    variables: [
      ...ANTHROPIC,
      ...['ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_EXECUTABLE'],
      ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', ...NETWORK],
    ],
    writes: ['.claude', '.claude.json'],
    hosts: ['*.anthropic.com', 'claude.ai', '*.claude.ai', '*.claude.com'],
  },
  {
    name: 'codex',
    title: 'Codex',
    command: ['codex-acp'],
    drives: { program: 'codex', variable: 'CODEX_PATH' },
    install: 'npm install --global @agentclientprotocol/codex-acp',
    variables: [...OPENAI, 'CODEX_API_KEY', 'CODEX_HOME', 'CODEX_PATH', ...NETWORK],
    writes: ['.codex'],
    hosts: ['*.openai.com', 'chatgpt.com', '*.chatgpt.com'],
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    command: ['gemini', '--acp', '--skip-trust'],
    install: 'npm install --global @google/gemini-cli',
    variables: [
      ...GOOGLE,
      ...['GEMINI_MODEL', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
      ...['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_APPLICATION_CREDENTIALS', ...NETWORK],
    ],
    writes: ['.gemini'],
    hosts: ['*.googleapis.com', 'accounts.google.com'],
  },
  {
    name: 'opencode',
    title: 'opencode',
    command: ['opencode', 'acp'],
    install: 'npm install --global opencode-ai',
    variables: [
      ...['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_API_KEY', 'OPENROUTER_API_KEY'],
      ...[...ANTHROPIC, ...OPENAI, ...GOOGLE, ...FOLDERS, ...NETWORK],
    ],
    writes: ['.config/opencode', '.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
    hosts: ['opencode.ai', '*.opencode.ai', 'models.dev', '*.anthropic.com', '*.openai.com', '*.googleapis.com'],
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    command: ['copilot', '--acp'],
    install: 'npm install --global @github/copilot',
    variables: ['COPILOT_GITHUB_TOKEN', 'COPILOT_MODEL', 'COPILOT_HOME', ...FOLDERS, ...KEYRING, ...NETWORK],
    writes: ['.copilot'],
    hosts: ['api.github.com', '*.githubcopilot.com'],
  },
  {
    name: 'cursor',
    title: 'Cursor CLI',
    command: ['cursor-agent', 'acp'],
    install: 'see https://cursor.com/cli',
    variables: ['CURSOR_API_KEY', ...FOLDERS, ...KEYRING, ...NETWORK],
    writes: ['.cursor', '.config/cursor'],
    hosts: ['cursor.com', '*.cursor.com', '*.cursor.sh'],
  },
  {
    name: 'goose',
    title: 'Goose',
    command: ['goose', 'acp'],
    install: 'see https://block.github.io/goose',
    variables: [
      ...['GOOSE_PROVIDER', 'GOOSE_MODEL', 'GOOSE_MODE', 'OPENROUTER_API_KEY'],
      ...[...ANTHROPIC, ...OPENAI, ...GOOGLE, ...FOLDERS, ...KEYRING, ...NETWORK],
    ],
    writes: ['.config/goose', '.local/share/goose', '.local/state/goose'],
    hosts: ['*.anthropic.com', '*.openai.com', '*.googleapis.com', 'openrouter.ai'],
  },
];

/** The known agent whose program this is, whatever the folder and the ending. */
export function knownByProgram(path: string): KnownAgent | undefined {
  const name = path
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/\.(exe|cmd|bat)$/i, '');
  return KNOWN_AGENTS.find(({ command }) => command[0] === name);
}
