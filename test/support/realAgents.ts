import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installOnce } from './vscode/installOnce';

const CACHE = process.env['DOCS_AGENT_TEST_CACHE'] ?? fileURLToPath(new URL('../../.cache', import.meta.url));

/**
 * The agents’ home folders. Not below the temporary folder: where bubblewrap is installed, Codex runs no command if its
 * home is there.
 */
const HOMES = fileURLToPath(new URL('../../.cache/agents-homes', import.meta.url));

/** Exact versions, because a result with one version says nothing about the next. */
const VERSIONS = {
  claude: { '@agentclientprotocol/claude-agent-acp': '0.101.0' },
  opencode: { 'opencode-ai': '1.18.33' },
  copilot: { '@github/copilot': '1.0.102' },
  gemini: { '@google/gemini-cli': '0.61.0' },
  codex: { '@agentclientprotocol/codex-acp': '2.6.0', '@openai/codex': '0.171.0' },
  qwen: { '@qwen-code/qwen-code': '0.24.4' },
  kilo: { '@kilocode/cli': '7.7.7' },
  cline: { cline: '3.0.65' },
} as const;

export type RealAgentName = keyof typeof VERSIONS;

export const REAL_AGENTS = Object.keys(VERSIONS) as RealAgentName[];

/** How the model’s provider responds to the agent’s key. */
export type KeyState = 'good' | 'missing' | 'wrong';

/** A real agent with its own home folder and a scripted model. */
export interface RealAgent {
  command: string[];
  /** Settings for starting a service. */
  environment: NodeJS.ProcessEnv;
  /** The names of the environment variables that the agent needs. */
  variables: string[];
  /** The requests to the model so far: the messages of each as JSON. */
  asked(): readonly string[];
  close(): Promise<void>;
}

/** Installs the agent into the cache if it is missing, and starts its model. */
export async function realAgent(name: RealAgentName, key: KeyState = 'good'): Promise<RealAgent> {
  const folder = await install(name);
  const bin = join(folder, 'node_modules', '.bin');
  const asked: string[] = [];
  let endWaiting = (): void => undefined;
  const untilClosed = new Promise<void>((resolve) => (endWaiting = resolve));
  const model = scriptedModel(asked, untilClosed, key);
  await model.start();
  await mkdir(HOMES, { recursive: true });
  const home = await mkdtemp(join(HOMES, `${name}-`));
  const { command, environment, secret } = await SET_UP[name](bin, home, model.url);
  const given = Object.fromEntries(
    Object.entries(environment).filter(([each]) => key !== 'missing' || each !== secret),
  );
  return {
    command,
    // Agents look up programs such as git and node on PATH.
    environment: { PATH: process.env['PATH'], HOME: home, ...given },
    variables: Object.keys(given),
    asked: () => asked,
    close: async () => {
      endWaiting();
      await model.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Installs the agent into the cache if it is missing. Returns the reason for a failure; undefined on success. */
export async function problemOfInstall(name: RealAgentName): Promise<string | undefined> {
  return install(name).then(
    () => undefined,
    (error: unknown) => `it could not be installed (${(error as Error).message.split('\n', 1)[0] ?? ''})`,
  );
}

async function install(name: RealAgentName): Promise<string> {
  const versions = VERSIONS[name];
  const folder = join(CACHE, `agents-${name}-${Object.values(versions).join('-')}`);
  await installOnce(folder, 'coding agents', async (into) => {
    const described = { private: true, dependencies: versions, overrides: versions };
    await writeFile(join(into, 'package.json'), JSON.stringify(described));
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: into });
    if (name === 'opencode') {
      // Without its install script, its program is a placeholder that only says so.
      const cwd = join(into, 'node_modules', 'opencode-ai');
      await promisify(execFile)(process.execPath, ['postinstall.mjs'], { cwd });
    }
  });
  return folder;
}

interface SetUp {
  command: string[];
  environment: Record<string, string>;
  /** The variable that holds the key. */
  secret: string;
}

const SET_UP: Record<RealAgentName, (bin: string, home: string, url: string) => Promise<SetUp> | SetUp> = {
  claude: (bin, _, url) => ({
    command: [join(bin, 'claude-agent-acp')],
    environment: { ANTHROPIC_API_KEY: 'sk-ant-api03-none', ANTHROPIC_BASE_URL: url },
    secret: 'ANTHROPIC_API_KEY',
  }),
  opencode: async (bin, home, url) => ({
    command: [join(bin, 'opencode'), 'acp'],
    environment: await withOpencodeConfig(home, 'opencode', url),
    secret: 'OPENROUTER_API_KEY',
  }),
  kilo: async (bin, home, url) => ({
    command: [join(bin, 'kilo'), 'acp'],
    environment: await withOpencodeConfig(home, 'kilo', url),
    secret: 'OPENROUTER_API_KEY',
  }),
  qwen: (bin, _, url) => ({
    command: [join(bin, 'qwen'), '--acp'],
    environment: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'test-1' },
    secret: 'OPENAI_API_KEY',
  }),
  cline: async (bin, home, url) => {
    const settings = { provider: 'openai-compatible', model: 'test-1', baseUrl: `${url}/v1` };
    const providers = {
      'openai-compatible': { settings, updatedAt: new Date(0).toISOString(), tokenSource: 'manual' },
    };
    const folder = join(home, '.cline', 'data', 'settings');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'providers.json'), JSON.stringify({ version: 1, modes: {}, providers }));
    return {
      command: [join(bin, 'cline'), '--acp'],
      environment: { CLINE_PROVIDER: 'openai-compatible', CLINE_API_KEY: 'none', CLINE_MODEL: 'test-1' },
      secret: 'CLINE_API_KEY',
    };
  },
  copilot: (bin, _, url) => ({
    command: [join(bin, 'copilot'), '--acp'],
    environment: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'test-1',
    },
    secret: 'COPILOT_PROVIDER_API_KEY',
  }),
  gemini: (bin, _, url) => ({
    // Without a named model, its router first asks another model which one to use.
    command: [join(bin, 'gemini'), '--acp', '--skip-trust', '-m', 'gemini-2.5-flash'],
    environment: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
    secret: 'GEMINI_API_KEY',
  }),
  codex: async (bin, home, url) => {
    const provider = `name = "scripted"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`;
    await mkdir(join(home, '.codex'));
    await writeFile(
      join(home, '.codex', 'config.toml'),
      `model = "gpt-5"\nmodel_provider = "scripted"\n[model_providers.scripted]\n${provider}[features]\nuse_legacy_landlock = true\n`,
    );
    return {
      command: [join(bin, 'codex-acp')],
      environment: { OPENAI_API_KEY: 'none', CODEX_PATH: join(bin, 'codex') },
      secret: 'OPENAI_API_KEY',
    };
  },
};

async function withOpencodeConfig(home: string, name: string, url: string): Promise<Record<string, string>> {
  const options = { baseURL: `${url}/v1`, apiKey: '{env:OPENROUTER_API_KEY}' };
  const provider = { npm: '@ai-sdk/openai-compatible', name: 'Scripted', options, models: { 'test-1': {} } };
  const folder = join(home, '.config', name);
  await mkdir(folder, { recursive: true });
  // Kilo adds the address if it is missing, which the sandbox refuses.
  const $schema = 'https://app.kilo.ai/config.json';
  const content = JSON.stringify({
    ...(name === 'kilo' && { $schema }),
    provider: { scripted: provider },
    model: 'scripted/test-1',
  });
  await writeFile(join(folder, `${name}.json`), content);
  return { OPENROUTER_API_KEY: 'none' };
}

/**
 * The names of each agent’s tools for writing a file and for running a command. The first that a request offers is
 * used.
 */
const WRITERS: Record<string, (path: string) => Record<string, unknown>> = {
  Write: (path) => ({ file_path: path, content: PAGE }),
  write_file: (path) => ({ file_path: path, content: PAGE }),
  write: (path) => ({ filePath: path, content: PAGE }),
  create: (path) => ({ path, file_text: PAGE }),
  exec_command: (path) => ({ cmd: `apply_patch <<'EOF'\n${patchFor(path)}\nEOF` }),
  editor: (path) => ({ path, new_text: PAGE }),
  apply_patch: (path) => ({ input: patchFor(path) }),
};
const RUNNERS: Record<string, (command: string) => Record<string, unknown>> = {
  Bash: (command) => ({ command, description: 'A command' }),
  bash: (command) => ({ command, description: 'A command' }),
  run_shell_command: (command) => ({ command, description: 'A command' }),
  run_commands: (command) => ({ commands: [command] }),
  exec_command: (command) => ({ cmd: command }),
};

/** For opencode and Kilo. */
const DELEGATORS: Record<string, (path: string) => Record<string, unknown>> = {
  task: (path) => ({ description: 'A page', prompt: `Write ${path}`, subagent_type: 'general' }),
};

const PAGE = '# Written by the model\n';
const patchFor = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+${PAGE.trim()}\n*** End Patch`;

/**
 * A model that follows the user’s newest message, one step per request: `[run: COMMAND]` with the agent’s tool for
 * commands, `[tool: NAME JSON]` with a tool of an MCP server, `Write PATH` with the one for files, and
 * `[delegate: PATH]` with the one that lets a subagent write it. At the end it reports that it is done. It never answers `[wait]`,
 * and does not answer the first request with `[wait once]`.
 */
function scriptedModel(asked: string[], untilClosed: Promise<void>, key: KeyState): LLMock {
  const model = new LLMock({ port: 0 });
  const isToWait = (request: ChatCompletionRequest) =>
    stepsOf(request).length > 0 && /\[wait\](?!.*Write )/s.test(newest(request));
  let hasWaited = false;
  const isToWaitOnce = (request: ChatCompletionRequest) => {
    const isFirst = stepsOf(request).length > 0 && newest(request).includes('[wait once]') && !hasWaited;
    hasWaited ||= isFirst;
    return isFirst;
  };
  // Tried first and never matches. It records each request on arrival; the server's own journal lists only answered
  // ones.
  const isNoted = ({ messages }: ChatCompletionRequest) => asked.push(JSON.stringify(messages)) === 0;
  model.on({ predicate: isNoted }, { content: '' });
  if (key !== 'good') {
    const error = { message: `The key of the scripted model is ${key}.`, type: 'authentication_error' };
    model.on({ predicate: () => true }, { error, status: 401 });
    return model;
  }
  for (const predicate of [isToWait, isToWaitOnce]) {
    model.on({ predicate }, () => untilClosed.then(() => ({ content: 'Too late.' })));
  }
  model.on({ predicate: (request) => nextCall(request) !== undefined }, (request) => ({
    toolCalls: [nextCall(request) ?? { name: '', arguments: '' }],
  }));
  model.on({ predicate: (request) => stepsOf(request).length > 0 }, { content: 'The page is written.' });
  model.on({ predicate: () => true }, { content: 'There is nothing to do.' });
  return model;
}

/** The call for the first step that has no result yet. Skips those for which the agent offers no tool. */
function nextCall(request: ChatCompletionRequest): { name: string; arguments: string } | undefined {
  const since = request.messages.slice(indexOfNewest(request) + 1);
  const offered = (request.tools ?? []).map((each) => each.function.name);
  const calls = stepsOf(request).flatMap(({ kind, given }) => {
    if (kind === 'tool') {
      const [tool = '', ...json] = given.split(' ');
      const named = offered.find((each) => each.endsWith(tool));
      return named === undefined ? [] : [{ name: named, arguments: json.join(' ') }];
    }
    const tools = { run: RUNNERS, write: WRITERS, delegate: DELEGATORS }[kind];
    const name = Object.keys(tools).find((each) => offered.includes(each));
    return name === undefined ? [] : [{ name, arguments: JSON.stringify(tools[name]?.(given) ?? {}) }];
  });
  return calls[since.filter(({ role }) => role === 'tool').length];
}

function stepsOf(request: ChatCompletionRequest) {
  const steps = newest(request).matchAll(/\[(run|tool|delegate): ([^\]]+)\]|Write ([\w./-]+\.md)/g);
  return [...steps].map(([, kind = 'write', given, path = '']) => ({
    kind: kind as 'run' | 'tool' | 'delegate' | 'write',
    given: given ?? path,
  }));
}

/**
 * The index of the user’s newest message with an instruction. Agents also send messages of their own in the user’s
 * name.
 */
function indexOfNewest({ messages }: ChatCompletionRequest): number {
  return messages.findLastIndex(
    ({ role, content }) => role === 'user' && /Write |\[(run|tool): /.test(JSON.stringify(content)),
  );
}

/** The text of that message, without the earlier messages that are repeated before it. */
function newest(request: ChatCompletionRequest): string {
  const content = request.messages[indexOfNewest(request)]?.content ?? '';
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return text.split('--- New message ---').at(-1)?.replaceAll('\\"', '"') ?? '';
}
