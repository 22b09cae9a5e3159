/** A row, with the names of its columns. */
export type Row = Record<string, unknown>;

/** Where statements run: in a transaction, or each on its own. */
export interface Query {
  /** Runs one statement with values for `$1` and so on. Integers of 64 bits are numbers. */
  query: (text: string, values?: readonly unknown[]) => Promise<Row[]>;
}

/** A PostgreSQL database. */
export interface Database extends Query {
  /** Does the work in a transaction (read committed), which is rolled back if the work fails. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Listens on channels until the database is closed. Resolves once it is listening.
   *
   * @param onGap called when notifications may have been lost because the connection was lost
   */
  listen(
    channels: readonly string[],
    onNotification: (channel: string, payload: string) => void,
    onGap: () => void,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Replaces the one character that PostgreSQL cannot store in a text. */
export function storable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value;
}
