/** A row, with the names of its columns. */
export type Row = Record<string, unknown>;

/** Where statements run: in a transaction, or each on its own. */
export interface Query {
  /** Runs one statement with values for `$1` and so on. Integers of 64 bits are numbers. */
  query: (text: string, values?: readonly unknown[]) => Promise<Row[]>;
}

/** What a notification says about a job: its state has changed, or its activity log has grown. */
export type Channel = 'job_changed' | 'activity_grown';

export interface Transaction extends Query {
  /** Waits until no other transaction holds this lock, and holds it until this transaction ends. */
  lock: (name: string) => Promise<void>;
  /** Notifies all processes that use the database, this one too, once the transaction is committed. */
  notify: (channel: Channel, jobId: string) => void;
}

/**
 * A database that several tasks use at the same time. It speaks the SQL that SQLite and PostgreSQL have in common, and
 * has a function `now_ms()`: its time, in milliseconds since the epoch.
 */
export interface Database extends Query {
  /**
   * Does the work in a transaction (read committed), which is rolled back if the work fails.
   *
   * @param queue those of this process that need the same lock first; they wait for it without a connection
   */
  transaction: <T>(work: (transaction: Transaction) => Promise<T>, queue?: string) => Promise<T>;
  /**
   * Listens for notifications until the database is closed. Resolves once it is listening.
   *
   * @param onNotification called without a job when notifications may have been lost
   */
  listen: (onNotification: (channel: Channel, jobId: string | undefined) => void) => Promise<void>;
  close: () => Promise<void>;
}

/** `$1, $2, …` for `count` values, from number `first` on. */
export function parameters(count: number, first = 1): string {
  return Array.from({ length: count }, (_, index) => `$${first + index}`).join(', ');
}
