import type { Clock } from '../shared/util/clock';
import type { Disposable } from '../shared/util/disposable';
import { Emitter } from '../shared/util/emitter';
import type { Logger } from '../shared/util/logger';
import type { Desk, Leadership, Presence } from './ports';

/** How often a window says that it lives, in milliseconds. */
export const BEAT_MS = 5000;

/** How old its word may be before it counts as gone, in milliseconds. */
export const GONE_MS = 3 * BEAT_MS;

export interface LeaseOptions {
  presence: Presence;
  desk: Desk;
  clock: Clock;
  /** Names this window; of two, the one whose name is smaller leads. */
  window: string;
  /** What the window that leads has the others know. */
  note: () => string;
  /** Takes in the note of the window that leads. */
  onNote: (note: string) => void;
  log: Logger;
}

/**
 * Agrees which of several windows polls and sends again, so that two do little more than one. Soft: for a moment two may
 * lead, or none, and nothing depends on it but the number of requests. A window without anything to do takes no part and
 * sets no timer; one whose user interface is gone can't take part.
 */
export class Lease implements Leadership, Disposable {
  private leading = false;
  private wanted = false;
  private beating = false;
  private timer: Disposable | undefined;
  /** Those who were heard at the last beat: a clock that slept makes all words look old, once. */
  private heard = new Set<string>();
  private readonly changed: Emitter<void>;

  constructor(private readonly options: LeaseOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of the lease failed', error));
  }

  get leads(): boolean {
    return this.leading;
  }

  onDidChange(listener: () => void): Disposable {
    return this.changed.event(listener);
  }

  /** Takes part from now on, or no more. */
  want(wanted: boolean): void {
    if (wanted === this.wanted) {
      return;
    }
    this.wanted = wanted;
    if (wanted) {
      this.beat();
    } else {
      this.stop();
    }
  }

  dispose(): void {
    this.wanted = false;
    this.stop();
  }

  private stop(): void {
    this.timer?.dispose();
    this.heard.clear();
    this.options.presence.withdraw(this.options.window);
    this.lead(false);
  }

  private beat(): void {
    this.timer = this.options.clock.after(BEAT_MS, () => this.beat());
    if (this.beating) {
      // The user interface did not answer for a whole beat: this may be the host of a window that died.
      this.lead(false);
      return;
    }
    this.beating = true;
    void this.ask().finally(() => (this.beating = false));
  }

  private async ask(): Promise<void> {
    const { presence, desk, window, note, log } = this.options;
    try {
      await desk.reached();
      if (!this.wanted) {
        return;
      }
      this.heed(await presence.announce(window, this.leading ? note() : ''));
    } catch (error) {
      // Polling twice is better than not at all.
      log.warn('windows can’t agree which of them polls', error);
      this.lead(true);
    }
  }

  private heed(others: Awaited<ReturnType<Presence['announce']>>): void {
    const { presence, window, onNote } = this.options;
    if (!this.wanted) {
      // What was withdrawn meanwhile may have been written after that.
      presence.withdraw(window);
      return;
    }
    const fresh = others.filter(({ ageMs }) => ageMs <= GONE_MS).map((other) => other.window);
    const alive = [...fresh, ...others.map((other) => other.window).filter((name) => this.heard.has(name))];
    this.heard = new Set(fresh);
    const first = alive.reduce((least, other) => (other < least ? other : least), window);
    this.lead(first === window);
    if (first !== window) {
      onNote(others.find((other) => other.window === first)?.note ?? '');
    }
  }

  private lead(leads: boolean): void {
    // Meanwhile it may have become clear that there is nothing to do.
    const leading = leads && this.wanted;
    if (leading !== this.leading) {
      this.leading = leading;
      this.changed.fire();
    }
  }
}
