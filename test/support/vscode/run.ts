import { spawn, type SpawnOptions } from 'node:child_process';
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot } from './paths';

/** The output and exit code of a finished program. `code` is null if a signal ended it. */
export interface RunResult {
  code: number | null;
  output: string;
}

/** Runs a program without a shell and collects both of its outputs. Throws only when it can't be started. */
export async function run(file: string, args: readonly string[], options: SpawnOptions = {}): Promise<RunResult> {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => parts.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => parts.push(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output: parts.join('') };
}

/** As `run`, but throws with the output when the exit code is not 0. Returns the output. */
export async function runChecked(file: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const { code, output } = await run(file, args, options);
  if (code !== 0) {
    throw new Error(`${file} ${args.join(' ')} ended with ${String(code)}\n${output}`);
  }
  return output;
}

/**
 * Runs npm: the one that runs this process, if any, otherwise the one on PATH. Install scripts are disabled, because
 * newer npm versions block them and nothing here may depend on them.
 */
export async function npm(args: readonly string[], cwd: string): Promise<string> {
  const [file, ...before] = npmCommand();
  const all = [...before, ...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  return runChecked(file, all, { cwd, env: withoutNpmConfig(process.env) });
}

function npmCommand(): [string, ...string[]] {
  const path = process.env['npm_execpath'];
  if (path?.endsWith('npm-cli.js') === true) {
    return [process.execPath, path];
  }
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** Under `npm run` the flags of the outer npm are in the environment and would affect the inner install. */
function withoutNpmConfig(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const steering = /^npm_(package|lifecycle|command)|^npm_config_(local_prefix|prefix|global_prefix)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !steering.test(name)));
}

/** Calls `use` with the path of a new empty folder, and removes the folder afterward in any case. */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'docs-agent-test-')));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
  }
}

/** Packages the built extension in `folder` as for publishing. Returns the size of the package in bytes. */
export async function packageExtension(folder: string, vsix: string): Promise<number> {
  await runChecked(process.execPath, [join(checkoutRoot, 'scripts', 'package.mjs'), folder, vsix]);
  return (await stat(vsix)).size;
}
