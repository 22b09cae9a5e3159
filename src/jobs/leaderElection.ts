import type { Clock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { Leadership, Presence, UiProbe } from './ports';

/** How often a window announces that it is alive, in milliseconds. */
export const BEAT_MS = 5000;

/** How old an announcement may be before its window counts as gone, in milliseconds. */
export const GONE_MS = 3 * BEAT_MS;

export interface LeaderElectionOptions {
  presence: Presence;
  uiProbe: UiProbe;
  clock: Clock;
  /** Names this window; of two, the one whose name is smaller leads. */
  window: string;
  /** What the leader tells the others. */
  note: () => string;
  /** Called with the leader's note. */
  onNote: (note: string) => void;
  log: Logger;
}

/**
 * Elects the one window that polls and resends for all. It is soft: two windows may lead for a moment, or none, and only
 * the number of requests depends on it. A window with nothing to do takes no part and has no timer; one without a user
 * interface can't take part.
 */
export class LeaderElection implements Leadership, Disposable {
  private leading = false;
  private participates = false;
  private beating = false;
  private timer: Disposable | undefined;
  /** The windows alive at the last beat: after the machine slept, all announcements look old once. */
  private heard = new Set<string>();
  private readonly changed: Emitter<void>;

  constructor(private readonly options: LeaderElectionOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of the leader election failed', error));
  }

  get leads(): boolean {
    return this.leading;
  }

  onDidChange(listener: () => void): Disposable {
    return this.changed.event(listener);
  }

  setParticipating(participates: boolean): void {
    if (participates === this.participates) {
      return;
    }
    this.participates = participates;
    if (participates) {
      this.beat();
    } else {
      this.stop();
    }
  }

  dispose(): void {
    this.participates = false;
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
      // The user interface did not answer for a whole beat: this may be the extension host of a closed window.
      this.lead(false);
      return;
    }
    this.beating = true;
    void this.ask().finally(() => (this.beating = false));
  }

  private async ask(): Promise<void> {
    const { presence, uiProbe, window, note, log } = this.options;
    try {
      await uiProbe.ping();
      if (!this.participates) {
        return;
      }
      this.elect(await presence.announce(window, this.leading ? note() : ''));
    } catch (error) {
      // Polling twice is better than not at all.
      log.warn('the windows could not elect one that polls', error);
      this.lead(true);
    }
  }

  private elect(others: Awaited<ReturnType<Presence['announce']>>): void {
    const { presence, window, onNote } = this.options;
    if (!this.participates) {
      // The announcement may have been written after it was withdrawn.
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
    // By now there may be nothing left to do.
    const leading = leads && this.participates;
    if (leading !== this.leading) {
      this.leading = leading;
      this.changed.fire();
    }
  }
}
