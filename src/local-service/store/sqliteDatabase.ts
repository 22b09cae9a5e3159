import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { KeyedQueue } from '../../base/async';
import { Emitter } from '../../base/disposable';
import type { Channel, Database, Query, Row, Transaction } from './database';

/** A SQLite file. Only this process uses it; its tasks take turns, each with a statement or a transaction. */
export class SqliteDatabase implements Database {
  private readonly turns = new KeyedQueue();
  private readonly notified = new Emitter<{ channel: Channel; jobId: string }>(() => undefined);

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly database: DatabaseSync,
    now: () => number,
  ) {
    database.function('now_ms', () => BigInt(now()));
  }

  query: Query['query'] = (text, values) => this.inTurn(() => this.run(text, values));

  transaction: Database['transaction'] = (work) =>
    this.inTurn(async () => {
      const notifications = new Map<string, { channel: Channel; jobId: string }>();
      const transaction: Transaction = {
        query: async (text, values) => this.run(text, values),
        // Nothing else uses the database until this transaction ends.
        lock: async () => undefined,
        notify: async (channel, jobId) => void notifications.set(`${channel} ${jobId}`, { channel, jobId }),
      };
      this.database.exec('BEGIN IMMEDIATE');
      try {
        const result = await work(transaction);
        this.database.exec('COMMIT');
        notifications.forEach((each) => this.notified.fire(each));
        return result;
      } catch (error) {
        try {
          this.database.exec('ROLLBACK');
        } catch {
          // SQLite itself has rolled back, as it does when the disk is full or the file is lost.
        }
        throw error;
      }
    });

  listen: Database['listen'] = async (onNotification) => {
    this.notified.event(({ channel, jobId }) => onNotification(channel, jobId));
  };

  close = (): Promise<void> => this.inTurn(async () => this.database.close());

  private inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    return this.turns.run('', async () => work());
  }

  private run(text: string, values: readonly unknown[] = []): Row[] {
    // By name, `1` for `$1`: Node.js 22 can't bind them by position.
    const named = Object.fromEntries(values.map((value, index) => [index + 1, value as SQLInputValue]));
    return this.database.prepare(text).all(named);
  }
}
