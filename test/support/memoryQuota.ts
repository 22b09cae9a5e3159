import type { QuotaLedger } from '../../src/jobs/ports';

const HOUR_MS = 3_600_000;

/** A quota in memory. Windows that share an instance share the quota. */
export class MemoryQuota implements QuotaLedger {
  private readonly taken = new Map<string, { place: string; at: number }[]>();
  private made = 0;

  constructor(private readonly size = 100) {}

  async take(name: string, now: number): Promise<{ place: string } | { waitMs: number }> {
    const counted = (this.taken.get(name) ?? []).filter(({ at }) => at > now - HOUR_MS && at <= now);
    if (counted.length >= this.size) {
      return { waitMs: Math.min(...counted.map(({ at }) => at)) + HOUR_MS - now };
    }
    const place = String(this.made++);
    this.taken.set(name, [...counted, { place, at: now }]);
    return { place };
  }

  async giveBack(name: string, place: string): Promise<void> {
    this.taken.set(
      name,
      (this.taken.get(name) ?? []).filter((each) => each.place !== place),
    );
  }
}
