import type { Presence } from '../../src/jobs/ports';
import type { ManualClock } from './manualClock';

/** Where windows of one test tell each other that they live. */
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
