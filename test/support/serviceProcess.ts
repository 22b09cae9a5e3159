import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '../../src/protocol/routes';
import { temporaryFolder } from './temporaryRepository';

/** Selects another bundle than the one in `dist`, so that a concurrent build does not replace it during the test. */
export const SERVICE =
  process.env['DOCS_AGENT_SERVICE_BUNDLE'] ?? fileURLToPath(new URL('../../dist/service.mjs', import.meta.url));
export const SCRIPTED_AGENT = fileURLToPath(new URL('./scriptedAgent.mjs', import.meta.url));

export interface ServiceSettings {
  /** A repository to register as a project. */
  repo?: string;
  /** The data folder; a new one when absent. */
  data?: string;
  /** The service's program, if it isn't the one in `dist`. */
  bundle?: string | undefined;
  /** A Node with node:sqlite; if absent, `DOCS_AGENT_TEST_NODE` or the running one. */
  node?: string;
  agentCommand?: string[];
  /** The agent speaks the Agent Client Protocol. */
  acp?: boolean;
  /** Pushes branches and opens pull requests. */
  publish?: boolean;
  confine?: 'auto' | 'require' | 'off';
  /** Names of the variables of `environment` that are also passed to the agent. */
  variables?: string[];
  concurrency?: number;
  keepDays?: number;
  onFinished?: string;
  rateLimit?: number;
  turnTimeoutMs?: number;
  port?: number;
  stateFile?: string;
  /** The key for all projects; a new one when absent. */
  key?: string;
  /** The projects that the other key opens; when absent, none that exists. */
  otherProjects?: string[];
  /** Added to the environment of the service. */
  environment?: Record<string, string>;
}

/** The real service in a process of its own. */
export interface RunningService {
  baseUrl: string;
  port: number;
  pid: number;
  data: string;
  /** The key for all projects. */
  key: string;
  /** A valid key for single projects only: see `otherProjects`. */
  otherKey: string;
  projectId: string;
  /** Everything written to standard output and standard error so far. */
  output(): string;
  /** Asks it to stop; returns the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** The Node that runs the service in tests. */
export function testNode(): string {
  return process.env['DOCS_AGENT_TEST_NODE'] ?? process.execPath;
}

export function newKey(): string {
  return `local_${randomBytes(32).toString('hex')}`;
}

/** Starts `dist/service.mjs` and resolves when it is ready. Rejects with its last output if it exits before that. */
export async function startService(settings: ServiceSettings = {}): Promise<RunningService> {
  const data = settings.data ?? (await temporaryFolder());
  const key = settings.key ?? newKey();
  const otherKey = newKey();
  const child = spawn(settings.node ?? testNode(), [settings.bundle ?? SERVICE, ...commandLine(settings, data)], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings.environment },
    stdio: 'pipe',
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(
    `${JSON.stringify({ keys: [{ key }, { key: otherKey, projects: settings.otherProjects ?? ['another'] }] })}\n`,
  );
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output.text += text));
  }
  const ready = await untilReady(child, output);
  return {
    baseUrl: `http://127.0.0.1:${ready.port}`,
    port: ready.port,
    pid: child.pid ?? 0,
    data,
    key,
    otherKey,
    projectId: ready.projects[0]?.projectId ?? '',
    output: () => output.text,
    stop: () => (process.platform === 'win32' ? askedToEnd(child, ready.port, key) : ended(child, 'SIGTERM')),
    kill: async () => {
      await ended(child, 'SIGKILL');
    },
  };
}

function commandLine(settings: ServiceSettings, data: string): string[] {
  const agent = settings.agentCommand ?? [testNode(), SCRIPTED_AGENT];
  const args = ['--data', data, '--keys-from-stdin'];
  const add = (name: string, value: string | number | undefined): void => {
    if (value !== undefined) {
      args.push(name, String(value));
    }
  };
  add('--repo', settings.repo);
  if (settings.repo !== undefined) {
    add('--agent-command', JSON.stringify(agent));
    args.push(...(settings.acp === true ? ['--acp'] : []));
    args.push('--confine', settings.confine ?? 'off');
    args.push(settings.publish === true ? '--pull-requests' : '--no-pull-requests');
    settings.variables?.forEach((name) => args.push('--environment', name));
  }
  add('--concurrency', settings.concurrency);
  add('--keep-days', settings.keepDays);
  add('--on-finished', settings.onFinished);
  add('--rate-limit', settings.rateLimit);
  add('--turn-timeout-ms', settings.turnTimeoutMs);
  add('--port', settings.port);
  add('--state-file', settings.stateFile);
  return args;
}

interface Ready {
  port: number;
  projects: { projectId: string }[];
}

function untilReady(child: ChildProcess, output: { text: string }): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the service ended with code ${String(code)}: ${output.text}`)));
    child.stdout?.on('data', () => {
      const line = /^\{"ready":true.*\}$/m.exec(output.text)?.[0];
      if (line !== undefined) {
        resolve(JSON.parse(line) as Ready);
      }
    });
  });
}

/** On Windows, where a signal ends a process at once, stops the service the way the editor does. */
async function askedToEnd(child: ChildProcess, port: number, key: string): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    const headers = { authorization: `Bearer ${key}` };
    await fetch(`http://127.0.0.1:${port}${ROUTES.shutDown.path}`, { method: 'POST', headers });
    await exit;
  }
  return child.exitCode;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return child.exitCode;
}
