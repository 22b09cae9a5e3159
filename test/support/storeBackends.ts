import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { systemClock } from '../../src/base/async';
import type { Database as SqlDatabase, Query, Row } from '../../src/local-service/store/database';
import type { ActivityLogStore, JobStore } from '../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../src/local-service/store/sqlJobStore';
import { CHANNELS, connectDatabase, storable, transactionOf } from '../../src/team-service/store/connectDatabase';
import { openTeamStore } from '../../src/team-service/store/teamStore';
import { postgresServer } from './postgresServer';
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
  await server.administer(`CREATE DATABASE ${name}`);
  return {
    url: server.url(name),
    remove: async () => void (await server.administer(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
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

/** Makes the database read-only, as a standby is, or not anymore, and ends all connections to it. */
export async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' });
  await client.connect();
  const name = new URL(url).pathname.slice(1);
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly}`);
  const others =
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()';
  await client.query(others, [name]);
  await client.end();
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
      own.transaction(async (inner) => {
        const { transaction, report } = transactionOf(queryOf(inner).query);
        const result = await work(transaction);
        await report();
        return result;
      }),
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
  const transaction: SqlDatabase['transaction'] = (work, queue) =>
    database.transaction((own) => work({ ...own, ...atTime(own) }), queue);
  return openTeamStore({ ...database, ...atTime(database), transaction }, noQueue);
}

/** All databases that a store can use. */
export const STORE_BACKENDS: readonly StoreBackend[] = [sqlite, pglite, postgres];

/**
 * Relays connections to a server, as a load balancer does: it accepts them whether or not the server runs. They can go
 * dead as if a machine was lost: nothing arrives, and nothing is closed.
 */
export class DatabaseRelay {
  private readonly sockets = new Set<Socket>();
  private readonly dead = new Set<Socket>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    /** The server's URL with the port of this one. */
    readonly url: string,
    /** The server's port, for new connections. */
    public target: number,
  ) {
    server.on('connection', (client) => this.join(client, connectTo(this.target, '127.0.0.1')));
  }

  static async start(url: string): Promise<DatabaseRelay> {
    const own = new URL(url);
    const target = Number(own.port);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    own.port = String((server.address() as AddressInfo).port);
    return new DatabaseRelay(server, own.href, target);
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
