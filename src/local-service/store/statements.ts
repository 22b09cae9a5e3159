import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Claim, ClaimLost } from './jobStore';

/** Caches the prepared statements of one database, and runs its transactions. */
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

  /** Runs the work in a transaction. A nested call joins the outer transaction. */
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

  /**
   * Runs the work in a transaction if the turn meets the condition `state` and has not been claimed again. Otherwise
   * throws ClaimLost.
   */
  claimed<T>(claim: Claim, state: string, work: () => T): T {
    return this.together(() => {
      if (this.sql(`SELECT 1 FROM turns WHERE id = ? AND attempt = ? AND ${state}`).get(claim.id, claim.attempt)) {
        return work();
      }
      throw new ClaimLost(claim);
    });
  }

  /** Rolls back unless SQLite already has, as it does when the disk is full or the file is lost. */
  private rollBack(): void {
    if (this.database.isTransaction) {
      this.database.exec('ROLLBACK');
    }
  }
}
