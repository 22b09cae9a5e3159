import type { Presence } from '../../src/jobs/ports';
import type { ManualClock } from './manualClock';

/** Where windows of one test tell each other that they live. */
export class MemoryPresence implements Presence {
  private readonly words = new Map<string, number>();

  constructor(private readonly clock: ManualClock) {}

  async announce(window: string): Promise<{ window: string; ageMs: number }[]> {
    const now = this.clock.monotonic();
    this.words.set(window, now);
    const others = [...this.words].filter(([name]) => name !== window);
    return others.map(([name, at]) => ({ window: name, ageMs: now - at }));
  }

  withdraw(window: string): void {
    this.words.delete(window);
  }
}
