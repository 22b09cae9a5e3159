import type { Memento } from 'vscode';
import { Emitter } from '../../src/base/disposable';
import type { JobEvent, RecordedEvent, PromptClaim } from '../../src/jobs/events';
import { claimStamp } from '../../src/jobs/jobStore';
import type { LeaderFile, LeaderRecord, QuotaLedger, RecordFiles } from '../../src/jobs/ports';

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

/** What the editor remembers, in memory. */
export class MemoryMemento implements Memento {
  private readonly values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  get<T>(key: string, fallback?: T): T {
    return (this.values.get(key) ?? fallback) as T;
  }

  async update(key: string, value: unknown): Promise<void> {
    this.values.set(key, value);
  }
}

const HOUR_MS = 3_600_000;

/** A quota in memory. Windows that share an instance share the quota. */
export class MemoryQuota implements QuotaLedger {
  private readonly taken = new Map<string, { place: string; at: number }[]>();
  private made = 0;

  constructor(private readonly size = 100) {}

  async acquire(name: string, now: number): Promise<{ place: string } | { waitMs: number }> {
    const counted = (this.taken.get(name) ?? []).filter(({ at }) => at > now - HOUR_MS && at <= now);
    if (counted.length >= this.size) {
      return { waitMs: Math.min(...counted.map(({ at }) => at)) + HOUR_MS - now };
    }
    const place = String(this.made++);
    this.taken.set(name, [...counted, { place, at: now }]);
    return { place };
  }

  async release(name: string, place: string): Promise<void> {
    this.taken.set(
      name,
      (this.taken.get(name) ?? []).filter((each) => each.place !== place),
    );
  }
}

/** Job records in memory. Windows that share an instance share the records. */
export class MemoryRecords implements RecordFiles {
  readonly folders = new Map<string, RecordedEvent[]>();
  readonly claims = new Set<string>();
  /** Fires with the key of a job whenever a record is written for it. */
  readonly changed = new Emitter<string>((error) => {
    throw error;
  });
  /** Set to make the next writes fail. */
  writeError: Error | undefined;

  async list(): Promise<string[]> {
    return [...this.folders.keys()];
  }

  async read(key: string, known: ReadonlySet<string> = new Set()): Promise<RecordedEvent[]> {
    const found = (this.folders.get(key) ?? []).filter(({ stamp }) => !known.has(stamp));
    return found.sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
  }

  async write(key: string, stamped: RecordedEvent<JobEvent>): Promise<void> {
    if (this.writeError !== undefined) {
      throw this.writeError;
    }
    this.folders.set(key, [...(this.folders.get(key) ?? []), stamped]);
    this.changed.fire(key);
  }

  async claim(key: string, name: string): Promise<boolean> {
    const id = `${key}/${name}`;
    if (this.claims.has(id)) {
      return false;
    }
    this.claims.add(id);
    const [, send, attempt = '1'] = /^claim-([0-9a-z]+)(?:-(\d+))?$/.exec(name) ?? [];
    if (send !== undefined) {
      const events = this.folders.get(key) ?? [];
      const intent = events.find(({ event }) => event.type === 'send' && event.promptId === send);
      const event: PromptClaim = {
        type: 'claimed',
        at: intent?.event.at ?? 0,
        promptId: send,
        attempt: Number(attempt),
      };
      this.folders.set(key, [...events, { stamp: claimStamp(send, event.attempt), event }]);
      this.changed.fire(key);
    }
    return true;
  }
}
