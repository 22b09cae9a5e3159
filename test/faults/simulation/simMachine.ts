import type { Clock } from '../../../src/base/async';
import type { Disposable } from '../../../src/base/disposable';
import type { JobEvent, RecordedEvent } from '../../../src/jobs/events';
import type { LeaderFile, QuotaLedger, RecordFiles } from '../../../src/jobs/ports';
import { MemoryLeader, MemoryQuota, MemoryRecords } from '../../support/memoryStores';
import type { Dice } from '../../support/scale';
import type { ManualClock } from '../../support/manualClock';

/** The longest time between a round trip to the user interface and the claim that follows it, in milliseconds. */
const ROUND_TRIP_MS = 200;

/** One disk for all windows: sometimes slow, full for a while, and cut off from a process at any point of a call. */
export class SimDisk {
  readonly records = new MemoryRecords();
  readonly budget = new MemoryQuota();
  private readonly leader = new MemoryLeader();
  /** While set, nothing can be written. */
  isFull = false;
  /** Claims of notices that a ghost made. */
  readonly ghostClaims: string[] = [];

  constructor(private readonly roll: Dice) {}

  /** The disk as one window sees it. */
  filesOf(life: WindowProcess): RecordFiles {
    const slowly = async (): Promise<void> => life.pass(this.roll() < 0.3 ? Math.floor(this.roll() * 40) : 0);
    const call = async <T>(writes: boolean, work: () => Promise<T>): Promise<T> => {
      await slowly();
      if (writes && this.isFull) {
        throw new Error('ENOSPC');
      }
      const result = await work();
      await slowly();
      return result;
    };
    return {
      list: () => call(false, () => this.records.list()),
      read: (key) => call(false, () => this.records.read(key)),
      write: (key, stamped) => call(true, () => this.records.write(key, stamped)),
      claim: (key, name) =>
        call(true, async () => {
          const won = await this.records.claim(key, name);
          // A window that died between a round trip and its claim can't know; the badge stays then.
          const long = life.ghostSince !== undefined && life.monotonic() - life.ghostSince > ROUND_TRIP_MS;
          if (won && long && name.startsWith('notice-')) {
            this.ghostClaims.push(`${key} ${name}`);
          }
          return won;
        }),
    };
  }

  budgetOf(life: WindowProcess): QuotaLedger {
    return {
      acquire: async (name, now) => {
        await life.pass(0);
        return this.budget.acquire(name, now);
      },
      release: async (name, place) => {
        await life.pass(0);
        await this.budget.release(name, place);
      },
    };
  }

  leaderOf(life: WindowProcess): LeaderFile {
    return {
      update: async (change) => {
        await life.pass(0);
        return this.leader.update(change);
      },
      remove: () => this.leader.remove(),
    };
  }

  /** True when the intent to send this prompt would survive a crash. */
  holdsPrompt(prompt: string): boolean {
    for (const events of this.records.folders.values()) {
      if (
        events.some(
          ({ event }: RecordedEvent<JobEvent | { type: 'claimed' }>) => event.type === 'send' && event.text === prompt,
        )
      ) {
        return true;
      }
    }
    return false;
  }
}

/**
 * The life cycle of one window's process. Once killed, it does nothing more, wherever it was. As a ghost it has lost
 * its user interface, and calls to that never return.
 */
export class WindowProcess implements Clock {
  isDead = false;
  /** Monotonic time since which its user interface has been gone. */
  ghostSince: number | undefined;
  private readonly timers = new Set<Disposable>();

  constructor(private readonly clock: ManualClock) {}

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  after(ms: number, callback: () => void): Disposable {
    if (this.isDead) {
      return { dispose: () => undefined };
    }
    const timer = this.clock.after(ms, () => {
      this.timers.delete(timer);
      callback();
    });
    this.timers.add(timer);
    return {
      dispose: () => {
        this.timers.delete(timer);
        timer.dispose();
      },
    };
  }

  get isGhost(): boolean {
    return this.ghostSince !== undefined;
  }

  becomeGhost(): void {
    this.ghostSince ??= this.clock.monotonic();
  }

  kill(): void {
    this.isDead = true;
    this.timers.forEach((timer) => timer.dispose());
    this.timers.clear();
  }

  /** Lets time pass in this process; never resolves once the process was killed. */
  async pass(ms: number): Promise<void> {
    if (ms > 0) {
      await new Promise<void>((resolve) => this.after(ms, resolve));
    }
    if (this.isDead) {
      await never();
    }
  }

  /** A call to the user interface. */
  async callsInterface(): Promise<void> {
    if (this.isGhost) {
      await never();
    }
    await this.pass(0);
  }
}

export function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}
