import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installOnce } from './vscode/installOnce';

const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));

/** Exact versions: what is shown with one says nothing of the next. */
const VERSIONS = {
  gemini: { '@google/gemini-cli': '0.61.0' },
  codex: { '@agentclientprotocol/codex-acp': '2.6.0', '@openai/codex': '0.169.0' },
} as const;

export type RealAgentName = keyof typeof VERSIONS;

/** A real agent with a home of its own, whose model is scripted. */
export interface RealAgent {
  command: string[];
  /** What a service would be started with. */
  environment: NodeJS.ProcessEnv;
  /** The names of what the agent needs of it. */
  variables: string[];
  /** What the model was asked until now: the messages of each request as JSON. */
  asked(): readonly string[];
  close(): Promise<void>;
}

/** Installs the agent into the cache, unless it is there, and starts its model. */
export async function realAgent(name: RealAgentName): Promise<RealAgent> {
  const folder = await install(name);
  const bin = join(folder, 'node_modules', '.bin');
  const asked: string[] = [];
  let endWaiting = (): void => undefined;
  const model = scriptedModel(asked, new Promise<void>((resolve) => (endWaiting = resolve)));
  await model.start();
  // Not the folder for temporary files: Codex runs no command with its home there where bubblewrap is installed.
  await mkdir(join(CACHE, 'agents-homes'), { recursive: true });
  const home = await mkdtemp(join(CACHE, 'agents-homes', `${name}-`));
  const setUp = name === 'gemini' ? gemini(bin, model.url) : await codex(bin, home, model.url);
  return {
    ...setUp,
    environment: { PATH: process.env['PATH'], HOME: home, ...setUp.environment },
    variables: Object.keys(setUp.environment),
    asked: () => asked,
    close: async () => {
      endWaiting();
      await model.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Installs the agent into the cache, unless it is there. Returns why it could not; undefined when it is there. */
export async function problemOfInstall(name: RealAgentName): Promise<string | undefined> {
  return install(name).then(
    () => undefined,
    (error: unknown) => `it could not be installed (${(error as Error).message.split('\n', 1)[0] ?? ''})`,
  );
}

async function install(name: RealAgentName): Promise<string> {
  const versions = VERSIONS[name];
  const folder = join(CACHE, `agents-${name}-${Object.values(versions).join('-')}`);
  await installOnce(folder, async (into) => {
    const described = { private: true, dependencies: versions, overrides: versions };
    await writeFile(join(into, 'package.json'), JSON.stringify(described));
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: into });
  });
  return folder;
}

function gemini(bin: string, url: string) {
  return {
    // Without a model named, its router asks another model first which to take.
    command: [join(bin, 'gemini'), '--acp', '--skip-trust', '-m', 'gemini-2.5-flash'],
    environment: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
  };
}

async function codex(bin: string, home: string, url: string) {
  const provider = `name = "scripted"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`;
  await mkdir(join(home, '.codex'));
  await writeFile(
    join(home, '.codex', 'config.toml'),
    `model = "gpt-5"\nmodel_provider = "scripted"\n[model_providers.scripted]\n${provider}`,
  );
  return {
    command: [join(bin, 'codex-acp')],
    environment: { OPENAI_API_KEY: 'none', CODEX_PATH: join(bin, 'codex') },
  };
}

/**
 * A model that writes the last file that its newest message names (`docs/….md`) with the tool that the agent offers, says
 * so, and does not answer to `[wait]`.
 */
function scriptedModel(asked: string[], untilClosed: Promise<void>): LLMock {
  const model = new LLMock({ port: 0 });
  const offers = (tool: string) => (request: ChatCompletionRequest) =>
    (request.tools ?? []).some((each) => each.function.name === tool);
  const isToWait = (request: ChatCompletionRequest) => newest(request).includes('[wait]');
  // The first that is tried, and never taken: the server's own journal tells of a request when it is answered.
  const isNoted = ({ messages }: ChatCompletionRequest) => asked.push(JSON.stringify(messages)) === 0;
  model.on({ predicate: isNoted }, { content: '' });
  model.on({ hasToolResult: true }, { content: 'The page is written.' });
  model.on({ predicate: isToWait }, () => untilClosed.then(() => ({ content: 'Too late.' })));
  model.on({ predicate: offers('write_file') }, (request) => {
    return call('write_file', { file_path: fileIn(request), content: '# Written by the model\n' });
  });
  model.on({ predicate: offers('exec_command') }, (request) => {
    return call('exec_command', { cmd: `echo '# Written by the model' > ${fileIn(request)}` });
  });
  model.on({ predicate: () => true }, { content: 'There is nothing to do.' });
  return model;
}

function call(name: string, given: Record<string, string>) {
  return { toolCalls: [{ name, arguments: JSON.stringify(given) }] };
}

function fileIn(request: ChatCompletionRequest): string {
  return [...newest(request).matchAll(/docs\/[\w-]+\.md/g)].at(-1)?.[0] ?? 'docs/unnamed.md';
}

/** The user's newest message, without what was told again before it. */
function newest({ messages }: ChatCompletionRequest): string {
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  const text = typeof last === 'string' ? last : JSON.stringify(last ?? '');
  return text.split('--- New message ---').at(-1) ?? '';
}
