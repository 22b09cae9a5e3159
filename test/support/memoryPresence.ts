import type { Presence } from '../../src/jobs/ports';
import type { ManualClock } from './manualClock';

/** Where the windows of one test report that they are alive. */
export class MemoryPresence implements Presence {
  private readonly words = new Map<string, { at: number; note: string }>();

  constructor(private readonly clock: ManualClock) {}

  async announce(window: string, note: string): Promise<{ window: string; ageMs: number; note: string }[]> {
    const now = this.clock.monotonic();
    this.words.set(window, { at: now, note });
    const others = [...this.words].filter(([name]) => name !== window);
    return others.map(([name, word]) => ({ window: name, ageMs: now - word.at, note: word.note }));
  }

  withdraw(window: string): void {
    this.words.delete(window);
  }
}
