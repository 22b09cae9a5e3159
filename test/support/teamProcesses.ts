import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { testNode } from './serviceProcess';
import { temporaryFolder } from './temporaryRepository';
import { checkoutRoot } from './vscode/paths';
import { runChecked } from './vscode/run';

let program: Promise<string> | undefined;

/** The program of the npm package, built once. */
function packedProgram(): Promise<string> {
  program ??= (async () => {
    const folder = await temporaryFolder();
    const args = ['scripts/npmPackage.mjs', 'docs-agent-service', folder];
    await runChecked(process.execPath, args, { cwd: checkoutRoot });
    const [file = ''] = await readdir(folder);
    await runChecked('tar', ['-xzf', file], { cwd: folder });
    return join(folder, 'package', 'docs-agent-service.mjs');
  })();
  return program;
}

/** A process of a team's service that is ready. */
export interface TeamProcess {
  process: ChildProcess;
  /** Of an API process. */
  port: number;
  /** What it has logged so far. */
  said: () => string;
}

/** The real programs of a team's service, on one database. */
export class TeamProcesses {
  private readonly started: ChildProcess[] = [];

  private constructor(
    private readonly file: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  static async on(database: string): Promise<TeamProcesses> {
    const [file, HOME] = await Promise.all([packedProgram(), temporaryFolder()]);
    return new TeamProcesses(file, { PATH: process.env['PATH'], HOME, DOCS_AGENT_DATABASE: database });
  }

  /** Runs a command, and returns the first line of what it prints. */
  async manage(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(testNode(), [this.file, ...args], { env: this.environment });
    return stdout.trim();
  }

  /** Starts an API process or a worker. */
  async start(args: readonly string[], environment: Record<string, string> = {}): Promise<TeamProcess> {
    const env = { ...this.environment, ...environment };
    const child = spawn(testNode(), [this.file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.started.push(child);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(said)));
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
    ended.catch(() => undefined);
    const { port = 0 } = JSON.parse(line) as { port?: number };
    return { process: child, port, said: () => said };
  }

  async close(): Promise<void> {
    const running = this.started
      .splice(0)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(
      running.map(async (child) => {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
        await exit;
        clearTimeout(late);
      }),
    );
  }
}
