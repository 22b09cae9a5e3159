import { join } from 'node:path';
import type { ActivityLogStore, JobStore } from '../../src/local-service/store/jobStore';
import { SqliteJobStore } from '../../src/local-service/store/sqliteJobStore';
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
    return { open: async (now) => SqliteJobStore.open(file, now), remove: async () => undefined };
  },
};

/** All databases that a store can use. */
export const STORE_BACKENDS: readonly StoreBackend[] = [sqlite];
