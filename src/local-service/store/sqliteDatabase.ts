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
        // SQLite itself rolls back when the disk is full or the file is lost.
        if (this.database.isTransaction) {
          this.database.exec('ROLLBACK');
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
    // SQLite numbers parameters like $1 in the order in which they occur, but not those like ?1.
    return this.database.prepare(text.replaceAll(/\$(?=\d)/g, '?')).all(...(values as SQLInputValue[]));
  }
}
