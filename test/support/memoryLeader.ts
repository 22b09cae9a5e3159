import type { LeaderFile, LeaderRecord } from '../../src/jobs/ports';

/** Where the windows of one test say which of them leads. */
export class MemoryLeader implements LeaderFile {
  record: LeaderRecord | undefined;

  async update(
    change: (found: LeaderRecord | undefined) => LeaderRecord | undefined,
  ): Promise<LeaderRecord | undefined> {
    this.record = change(this.record);
    return this.record;
  }

  remove(): void {
    this.record = undefined;
  }
}
