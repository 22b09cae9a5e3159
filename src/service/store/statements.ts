import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The prepared statements of one database, each made once, and its transactions. */
export class Statements {
  private readonly prepared = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  sql(text: string): StatementSync {
    let statement = this.prepared.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(text);
      this.prepared.set(text, statement);
    }
    return statement;
  }

  /** All that the work writes, or nothing of it. One inside another is part of the outer one. */
  together<T>(work: () => T): T {
    if (this.database.isTransaction) {
      return work();
    }
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  /** A full disk or a lost file ends the transaction by itself. */
  private rollBack(): void {
    if (this.database.isTransaction) {
      this.database.exec('ROLLBACK');
    }
  }
}
