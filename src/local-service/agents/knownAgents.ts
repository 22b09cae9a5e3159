import { basename, isAbsolute } from 'node:path';
import { coded, type CodedText } from '../../protocol/codedText';
import { DEMO } from './demoAgent';

/** Its name in the settings. */
export type AgentName =
  | 'claude'
  | 'codex'
  | 'gemini'
  | 'opencode'
  | 'copilot'
  | 'cursor'
  | 'goose'
  | 'qwen'
  | 'kilo'
  | 'cline'
  | 'droid'
  | 'auggie';

/** A coding agent that is known to speak the Agent Client Protocol, natively or through an adapter. */
export interface KnownAgent {
  name: AgentName;
  title: string;
  /** Its program, and the arguments that make it speak the protocol. */
  command: readonly [string, ...string[]];
  /** If `command` is an adapter: the agent's own program that it starts, and the variable that names that program. */
  drives?: { program: string; variable: string };
  /** How to get the program that `command` names. */
  install: CodedText;
  /** How to make it ask before it does what the project's settings do not allow. */
  asking?: ApprovalSetup;
  /**
   * For an agent whose requests name no paths: the titles of its file tools. Their paths are read from their input, and
   * calls without a kind count as edits. Needs a recorded request (test/unit/local-service/agents/recordedRequests.jsonl).
   */
  fileTools?: RegExp;
  /** The titles of its tools that run commands, whatever kind they report. */
  commandTools?: RegExp;
  /** How to sign in, as the beginning of a sentence. */
  signIn: CodedText;
  /** The variables that hold its key, the usual one first. */
  keys: readonly string[];
  /** How its last message begins if a turn ends as if it had succeeded although the model could not be reached. */
  failure?: RegExp;
  /** Its own environment variables that it gets: keys, addresses, folders. */
  variables: readonly string[];
  /** More variables that it gets if the variable of that name is set: the credentials of another cloud. */
  variablesWith?: Readonly<Record<string, readonly string[]>>;
  /** For the sandbox: which hosts it must always reach. `AGENT_FOLDERS` says what it writes. */
  hosts: readonly string[];
  /**
   * More hosts if the variable of that name is set: the switch for another cloud, or a provider's key. REGION is that of
   * AWS.
   */
  hostsWith?: Readonly<Record<string, readonly string[]>>;
  /** Variables with the URL of its model or of a gateway, whose host it must reach. */
  addresses?: readonly string[];
  /**
   * Where it finds settings in a repository that can run programs: folders, with a slash at the end, and files, in any
   * folder. They are withheld as they are.
   */
  settings: readonly string[];
  /** Files that it leaves in its work folder for itself. They are never committed. */
  leaves?: readonly string[];
  /** The packages with which it was run, with a scripted model or without one, and in which month. */
  tested?: { versions: string; with: 'model' | 'protocol'; on: string };
}

/** The tests in test/faults/local-service/agents/realAgents.test.ts verify this for the agents in their `VERSIONS`. */
export interface ApprovalSetup {
  /** The session mode in which it asks: while commands are refused, and while they are allowed. */
  mode?: { edits: string; commands: string };
  /** Environment variables that it gets. A JSON object is merged into the user's own value. */
  environment?: Readonly<Record<string, string>>;
  /** Additional arguments and variables while commands are refused. */
  edits?: { args?: readonly string[]; environment?: Readonly<Record<string, string>> };
  /** What it still does without asking while commands are refused. */
  gap?: CodedText;
}

const ANTHROPIC = [
  ...[
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_MODEL',
    'ANTHROPIC_SMALL_FAST_MODEL',
  ],
  ...['ANTHROPIC_DEFAULT_OPUS_MODEL', 'ANTHROPIC_DEFAULT_SONNET_MODEL', 'ANTHROPIC_DEFAULT_HAIKU_MODEL'],
];
const AWS = [
  ...['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE', 'AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK'],
  ...['AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE', 'ANTHROPIC_BEDROCK_BASE_URL', 'CLAUDE_CODE_SKIP_BEDROCK_AUTH'],
];
const VERTEX = [
  ...['ANTHROPIC_VERTEX_PROJECT_ID', 'ANTHROPIC_VERTEX_BASE_URL', 'CLOUD_ML_REGION', 'CLAUDE_CODE_SKIP_VERTEX_AUTH'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GCLOUD_PROJECT', 'CLOUDSDK_CONFIG'],
];
const BEDROCK_HOSTS = [
  ...['bedrock-runtime.REGION.amazonaws.com', 'bedrock.REGION.amazonaws.com', 'sts.amazonaws.com'],
  ...['sts.REGION.amazonaws.com', 'oidc.REGION.amazonaws.com', 'portal.sso.REGION.amazonaws.com'],
];
const FOUNDRY_HOSTS = ['*.services.ai.azure.com', 'login.microsoftonline.com'];
const OPENAI = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID'];
const GOOGLE = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];

/** Where a program keeps its files, and how it reaches the desktop keyring. */
const FOLDERS = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'];
const KEYRING = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];

/** Proxies and certificate authorities. */
const NETWORK = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** The hosts of the providers whose models many agents can use, by the variable with the key. */
const PROVIDER_HOSTS = {
  ANTHROPIC_API_KEY: ['*.anthropic.com'],
  OPENAI_API_KEY: ['*.openai.com'],
  GEMINI_API_KEY: ['generativelanguage.googleapis.com'],
  OPENROUTER_API_KEY: ['openrouter.ai'],
};

/** For opencode and its fork Kilo. */
function askingOfOpencode(prefix: string): ApprovalSetup {
  const asked = ['edit', 'bash', 'webfetch', 'websearch', 'codesearch'];
  // The requests of its subagents never reach a client: they would wait for an answer until the time limit.
  const config = (denied: readonly string[], more: object) => {
    const permission = Object.fromEntries([...denied, 'external_directory', 'doom_loop'].map((name) => [name, 'deny']));
    const agent = { general: { permission }, explore: { permission } };
    // Otherwise it ends its turn at the first refusal. Snapshots are for its own undo; the sandbox denies them.
    return JSON.stringify({ snapshot: false, experimental: { continue_loop_on_deny: true }, agent, ...more });
  };
  return {
    environment: { [`${prefix}_CONFIG_CONTENT`]: config([], {}) },
    edits: {
      environment: {
        // By default it asks only about places outside its folder. This is merged into the user's configuration. As an
        // object, so that what the user has denied stays denied.
        [`${prefix}_PERMISSION`]: JSON.stringify({
          ...Object.fromEntries(asked.map((name) => [name, name === 'edit' ? { '*': 'ask' } : 'ask'])),
          task: { '*': 'deny', general: 'allow', explore: 'allow' },
        }),
        // Formatters and language servers are programs, which the repository's settings can choose.
        [`${prefix}_CONFIG_CONTENT`]: config(asked, { formatter: false, lsp: false }),
      },
    },
  };
}

/** In order of preference. No list contains GitHub's tokens: an agent has no business with pull requests. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    command: ['claude-agent-acp'],
    drives: { program: 'claude', variable: 'CLAUDE_CODE_EXECUTABLE' },
    install: coded('getWithCommand', { command: 'npm install --global @agentclientprotocol/claude-agent-acp' }),
    asking: {
      // Its default mode is `auto`, where a model decides instead of the user.
      mode: { edits: 'default', commands: 'default' },
      // Otherwise it sends any file of the user that a prompt, a skill, or a command names as `@path`, without asking.
      environment: { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' },
    },
    // Of its tool for later wake-ups, which never come.
    leaves: ['.claude/scheduled_tasks.lock', '.claude/scheduled_tasks.json'],
    signIn: coded('signInClaude'),
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    variablesWith: { CLAUDE_CODE_USE_BEDROCK: AWS, CLAUDE_CODE_USE_VERTEX: VERTEX },
    variables: [
      ...ANTHROPIC,
      ...['ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_EXECUTABLE'],
      ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', ...NETWORK],
    ],
    hosts: ['*.anthropic.com', 'claude.ai', '*.claude.ai', '*.claude.com'],
    hostsWith: {
      CLAUDE_CODE_USE_BEDROCK: BEDROCK_HOSTS,
      CLAUDE_CODE_USE_VERTEX: ['*.googleapis.com'],
      CLAUDE_CODE_USE_FOUNDRY: FOUNDRY_HOSTS,
    },
    addresses: [
      ...['ANTHROPIC_BASE_URL', 'ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL'],
      'ANTHROPIC_FOUNDRY_BASE_URL',
    ],
    settings: ['.claude/', '.mcp.json'],
    tested: { versions: '@agentclientprotocol/claude-agent-acp 0.101.0', with: 'model', on: '2026-11' },
  },
  {
    name: 'codex',
    title: 'Codex',
    command: ['codex-acp'],
    drives: { program: 'codex', variable: 'CODEX_PATH' },
    install: coded('getWithCommand', { command: 'npm install --global @agentclientprotocol/codex-acp' }),
    asking: {
      // Its default mode is `agent`, where a model decides. Codex reads files with commands, so not all can be refused.
      mode: { edits: 'read-only', commands: 'workspace-write' },
      gap: coded('codexRunsCommands'),
    },
    signIn: coded('signInByCommand', { command: 'codex login' }),
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    failure: /^(Error: |Missing environment variable: |unexpected status |stream )/,
    variables: [...OPENAI, 'CODEX_API_KEY', 'CODEX_HOME', 'CODEX_PATH', ...NETWORK],
    hosts: ['*.openai.com', 'chatgpt.com', '*.chatgpt.com'],
    addresses: ['OPENAI_BASE_URL'],
    settings: ['.codex/'],
    tested: { versions: '@agentclientprotocol/codex-acp 2.6.0, @openai/codex 0.171.0', with: 'model', on: '2026-11' },
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    command: ['gemini', '--acp', '--skip-trust'],
    install: coded('getWithCommand', { command: 'npm install --global @google/gemini-cli' }),
    asking: { mode: { edits: 'default', commands: 'default' } },
    signIn: coded('signInInProgram', { program: 'gemini' }),
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    variables: [
      ...GOOGLE,
      ...['GEMINI_MODEL', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
      ...['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_APPLICATION_CREDENTIALS', ...NETWORK],
    ],
    hosts: ['*.googleapis.com', 'accounts.google.com'],
    addresses: ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL'],
    settings: ['.gemini/', '.env'],
    tested: { versions: '@google/gemini-cli 0.61.0', with: 'model', on: '2026-11' },
  },
  {
    name: 'opencode',
    title: 'opencode',
    command: ['opencode', 'acp'],
    install: coded('getWithCommand', { command: 'npm install --global opencode-ai' }),
    asking: askingOfOpencode('OPENCODE'),
    signIn: coded('signInByCommand', { command: 'opencode auth login' }),
    keys: ['OPENCODE_API_KEY', 'OPENROUTER_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    variables: [
      ...['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_API_KEY', 'OPENROUTER_API_KEY'],
      ...[...ANTHROPIC, ...OPENAI, ...GOOGLE, ...FOLDERS, ...NETWORK],
    ],
    hosts: ['opencode.ai', '*.opencode.ai', 'models.dev', '*.anthropic.com', '*.openai.com', '*.googleapis.com'],
    hostsWith: { OPENROUTER_API_KEY: ['openrouter.ai'] },
    addresses: ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'],
    settings: ['.opencode/', 'opencode.json', 'opencode.jsonc'],
    tested: { versions: 'opencode-ai 1.18.33', with: 'model', on: '2026-11' },
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    command: ['copilot', '--acp'],
    install: coded('getWithCommand', { command: 'npm install --global @github/copilot' }),
    // A refusal by the client ends its turn. A tool that is denied from the start is reported to the model, which
    // continues.
    asking: { edits: { args: ['--deny-tool', 'shell', '--deny-tool', 'url'] } },
    signIn: coded('signInByCommand', { command: 'copilot login' }),
    keys: ['COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    failure: /^Error: /,
    variables: [
      ...['COPILOT_GITHUB_TOKEN', 'COPILOT_MODEL', 'COPILOT_HOME', ...FOLDERS, ...KEYRING, ...NETWORK],
      ...['COPILOT_OFFLINE', 'COPILOT_PROVIDER_TYPE', 'COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_API_KEY'],
      ...['COPILOT_PROVIDER_BEARER_TOKEN', 'COPILOT_PROVIDER_WIRE_API', 'COPILOT_PROVIDER_AZURE_API_VERSION'],
      ...['COPILOT_PROVIDER_MODEL_ID', 'COPILOT_PROVIDER_WIRE_MODEL'],
      ...['COPILOT_PROVIDER_MAX_PROMPT_TOKENS', 'COPILOT_PROVIDER_MAX_OUTPUT_TOKENS'],
    ],
    hosts: ['api.github.com', '*.githubcopilot.com'],
    addresses: ['COPILOT_PROVIDER_BASE_URL'],
    settings: [
      ...['.github/copilot/', '.github/hooks/', '.github/extensions/', '.github/agents/', '.github/skills/'],
      ...['.github/mcp.json', '.github/lsp.json', '.mcp.json', '.claude/'],
    ],
    tested: { versions: '@github/copilot 1.0.102', with: 'model', on: '2026-11' },
  },
  {
    name: 'cursor',
    title: 'Cursor CLI',
    command: ['cursor-agent', 'acp'],
    install: coded('getAtAddress', { address: 'https://cursor.com/cli' }),
    asking: { gap: coded('cursorDecidesItself') },
    signIn: coded('signInByCommand', { command: 'cursor-agent login' }),
    keys: ['CURSOR_API_KEY'],
    variables: ['CURSOR_API_KEY', ...FOLDERS, ...KEYRING, ...NETWORK],
    hosts: ['cursor.com', '*.cursor.com', '*.cursor.sh'],
    settings: ['.cursor/'],
  },
  {
    name: 'goose',
    title: 'Goose',
    command: ['goose', 'acp'],
    install: coded('getAtAddress', { address: 'https://block.github.io/goose' }),
    // Its default mode is `auto`, which never asks.
    asking: { edits: { environment: { GOOSE_MODE: 'approve' } } },
    // “Developer: Text Editor” in older versions, “developer: write” and “write · docs/a.md” in later ones. The titles
    // of other extensions' tools always start with the extension's name.
    fileTools: /^(developer(: |__))?(text[ _]editor|write|edit)($| · )/i,
    commandTools: /^(developer(: |__))?shell($| · )/i,
    signIn: coded('signInByCommand', { command: 'goose configure' }),
    keys: ['OPENROUTER_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_API_KEY'],
    variables: [
      ...['GOOSE_PROVIDER', 'GOOSE_MODEL', 'GOOSE_MODE', 'OPENROUTER_API_KEY'],
      ...[...ANTHROPIC, ...OPENAI, ...GOOGLE, ...FOLDERS, ...KEYRING, ...NETWORK],
    ],
    hosts: ['*.anthropic.com', '*.openai.com', '*.googleapis.com', 'openrouter.ai'],
    addresses: [
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_HOST',
      'OPENAI_BASE_URL',
      'OPENAI_HOST',
      'OLLAMA_HOST',
      'DATABRICKS_HOST',
    ],
    settings: ['.goose/'],
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    command: ['qwen', '--acp'],
    install: coded('getWithCommand', { command: 'npm install --global @qwen-code/qwen-code' }),
    asking: {
      // Its default mode is `auto`, where a model decides.
      mode: { edits: 'default', commands: 'default' },
      // As with Copilot: a refusal by the client ends its turn. Its subagents can't ask, so they could edit nothing.
      edits: {
        args: ['run_shell_command', 'monitor', 'web_fetch', 'agent', 'enter_plan_mode'].flatMap((tool) => [
          '--exclude-tools',
          tool,
        ]),
      },
    },
    signIn: coded('signInInProgram', { program: 'qwen' }),
    keys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'BAILIAN_CODING_PLAN_API_KEY', 'BAILIAN_TOKEN_PLAN_API_KEY'],
    variables: [
      ...['DASHSCOPE_API_KEY', 'BAILIAN_CODING_PLAN_API_KEY', 'BAILIAN_TOKEN_PLAN_API_KEY', 'MODELSCOPE_API_KEY'],
      ...['OPENAI_MODEL', 'QWEN_HOME', 'OPENROUTER_API_KEY', ...ANTHROPIC, ...OPENAI, ...GOOGLE, ...NETWORK],
    ],
    hosts: [
      ...['chat.qwen.ai', 'dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'dashscope-us.aliyuncs.com'],
      ...['*.dashscope.aliyuncs.com', '*.maas.aliyuncs.com'],
    ],
    hostsWith: { ...PROVIDER_HOSTS, MODELSCOPE_API_KEY: ['api-inference.modelscope.cn'] },
    addresses: ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'],
    settings: ['.qwen/', '.mcp.json', '.lsp.json', '.env'],
    tested: { versions: '@qwen-code/qwen-code 0.24.4', with: 'model', on: '2026-11' },
  },
  {
    name: 'kilo',
    title: 'Kilo',
    command: ['kilo', 'acp'],
    install: coded('getWithCommand', { command: 'npm install --global @kilocode/cli' }),
    asking: askingOfOpencode('KILO'),
    signIn: coded('signInByCommand', { command: 'kilo auth login' }),
    keys: ['KILO_API_KEY', 'OPENROUTER_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    variables: [
      ...['KILO_CONFIG', 'KILO_CONFIG_DIR', 'KILO_API_KEY', 'KILO_ORG_ID', 'OPENROUTER_API_KEY'],
      ...[...ANTHROPIC, ...OPENAI, ...GOOGLE, ...FOLDERS, ...NETWORK],
    ],
    hosts: ['kilo.ai', '*.kilo.ai', 'models.dev'],
    hostsWith: PROVIDER_HOSTS,
    addresses: ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL'],
    settings: ['.kilo/', '.kilocode/', '.kilocodemodes', 'kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc'],
    tested: { versions: '@kilocode/cli 7.7.7', with: 'model', on: '2026-11' },
  },
  {
    name: 'cline',
    title: 'Cline',
    command: ['cline', '--acp'],
    install: coded('getWithCommand', { command: 'npm install --global cline' }),
    // Otherwise a daemon, which may be one of the user's, does the work: outside the sandbox, and beyond the end of the job.
    asking: { environment: { CLINE_SESSION_BACKEND_MODE: 'local' } },
    fileTools: /^(read_files|search_codebase|editor|apply_patch): /,
    // A subagent runs commands.
    commandTools: /^spawn_agent: /,
    signIn: coded('signInCline'),
    keys: ['CLINE_API_KEY'],
    variables: [
      ...['CLINE_API_KEY', 'CLINE_PROVIDER', 'CLINE_MODEL', 'CLINE_API_BASE_URL', 'CLINE_DIR', 'CLINE_DATA_DIR'],
      ...NETWORK,
    ],
    hosts: ['*.cline.bot', '*.openai.com', 'chatgpt.com'],
    // Which of them it needs depends on the value.
    hostsWith: { CLINE_PROVIDER: Object.values(PROVIDER_HOSTS).flat() },
    addresses: ['CLINE_API_BASE_URL'],
    // Bun, of which its program is made, reads the last one.
    settings: ['.cline/', '.clinerules/', '.claude/', '.env', 'bunfig.toml'],
    tested: { versions: 'cline 3.0.65', with: 'model', on: '2026-11' },
  },
  {
    name: 'droid',
    title: 'Droid',
    command: ['droid', 'exec', '--output-format', 'acp'],
    install: coded('getAtAddress', { address: 'https://docs.factory.ai/cli/getting-started/quickstart' }),
    signIn: coded('signInInProgram', { program: 'droid' }),
    keys: ['FACTORY_API_KEY'],
    variables: ['FACTORY_API_KEY', ...FOLDERS, ...KEYRING, ...NETWORK],
    hosts: ['factory.ai', '*.factory.ai'],
    settings: ['.factory/'],
    tested: { versions: '@factory/cli-linux-x64 0.225.2', with: 'protocol', on: '2026-11' },
  },
  {
    name: 'auggie',
    title: 'Auggie',
    command: ['auggie', '--acp'],
    install: coded('getWithCommand', { command: 'npm install --global @augmentcode/auggie' }),
    signIn: coded('signInByCommand', { command: 'auggie login' }),
    keys: ['AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN'],
    variables: ['AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN', 'AUGMENT_API_URL', ...NETWORK],
    hosts: ['*.augmentcode.com'],
    addresses: ['AUGMENT_API_URL'],
    settings: ['.augment/'],
    tested: { versions: '@augmentcode/auggie 0.36.0', with: 'protocol', on: '2026-11' },
  },
];

/** The names of the service's own environment variables that an agent gets. */
export function variablesOf(agent: KnownAgent, environment: NodeJS.ProcessEnv): string[] {
  const more = Object.entries(agent.variablesWith ?? {}).filter(([name]) => isOn(environment[name]));
  return [...agent.variables, ...more.flatMap(([, names]) => names)];
}

/** Whether a variable with this value counts as set: a switch that is off does not. */
export function isOn(value: string | undefined): boolean {
  return !['', '0', 'false', undefined].includes(value?.toLowerCase());
}

/** The known agent with this program, whatever the folder and the file extension. */
export function findKnownAgent(path: string): KnownAgent | undefined {
  const name = path
    .split(/[/\\]/)
    .at(-1)
    ?.replace(/\.(exe|cmd|bat)$/i, '');
  return KNOWN_AGENTS.find(({ command }) => command[0] === name);
}

/** A job's `model` before its agent starts. With `auto`, the agent is not known before then. */
export function agentTitle({ agent, command }: { agent: string; command: readonly string[] }): string {
  return command[0] === undefined
    ? ([...KNOWN_AGENTS, DEMO].find(({ name }) => name === agent)?.title ?? agent)
    : commandTitle(command);
}

const INTERPRETERS = /^(node|bun|deno|python[\d.]*|ruby|perl|php|(ba|z)?sh|pwsh)(\.exe)?$/i;

/** The name of a custom command's program, or of the script that an interpreter runs: “node” would say nothing. */
export function commandTitle([program = '', script = '']: readonly string[]): string {
  const name = basename(program);
  return INTERPRETERS.test(name) && isAbsolute(script) ? basename(script) : name;
}
