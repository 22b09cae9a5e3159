import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { temporaryFolder } from './temporaryRepository';

/**
 * Registers a hook that skips the tests of this `describe` on Windows: tests that depend on missing features, such as
 * executable shell scripts, signals that a process can handle, named pipes, and symbolic links without special rights.
 */
export function notOnWindows(): void {
  before(function () {
    if (process.platform === 'win32') {
      this.skip();
    }
  });
}

/** Registers one such test. */
export function itOnUnix(title: string, test: () => void | Promise<void>): void {
  (process.platform === 'win32' ? it.skip : it)(title, test);
}

/** Registers a test that depends on what only Linux has, such as `/proc` and file names of any bytes. */
export function itOnLinux(title: string, test: () => void | Promise<void>): void {
  (process.platform === 'linux' ? it : it.skip)(title, test);
}

/** Below the ports that Linux (from 32768), macOS and Windows (from 49152) give to whoever asks for any port. */
const PORTS = [12_000, 32_000] as const;

/**
 * Returns a loopback port at which nobody listens, and which no server of another test gets by chance: a test can start
 * a server there later, or rely on refused connections.
 */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    if (await isUnused(port)) {
      return port;
    }
  }
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Whether an unprivileged process can mount a tmpfs for itself (Linux user and mount namespaces). */
export function canMountSmallDisk(): boolean {
  if (process.platform !== 'linux') {
    return false;
  }
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  const { status } = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs none "$1"', 'sh', folder]);
  rmdirSync(folder);
  return status === 0;
}

/**
 * Program and arguments that run a Node script with a disk of its own at `folder`.
 *
 * @param options mount options, such as `size=256k` or `nr_inodes=8`
 */
export function onSmallDisk(options: string, folder: string, script: string, ...args: string[]): [string, string[]] {
  const mount = 'mount -t tmpfs -o "$1" none "$2" && shift 2 && exec "$@"';
  return ['unshare', ['-rm', 'sh', '-c', mount, 'sh', options, folder, process.execPath, script, ...args]];
}

/** Compiles a TypeScript program to one file, so that a process that runs it starts fast. Returns its path. */
export async function buildNodeScript(source: string): Promise<string> {
  const path = join(await temporaryFolder(), `${basename(source, '.ts')}.mjs`);
  // Loaded only here: most tests need other functions of this file.
  const { build } = await import('esbuild');
  await build({
    entryPoints: [source],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Only in late imports that these programs never run.
    external: ['vscode'],
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    logLevel: 'warning',
  });
  return path;
}
