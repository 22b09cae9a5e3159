import type { Clock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { Leadership, Presence, UiProbe } from './ports';

/** How often a window announces that it is alive, in milliseconds. */
export const HEARTBEAT_MS = 5000;

/** The age in milliseconds at which an announcement expires and its window counts as gone. */
export const ANNOUNCEMENT_TTL_MS = 3 * HEARTBEAT_MS;

export interface LeaderElectionOptions {
  presence: Presence;
  uiProbe: UiProbe;
  clock: Clock;
  /** Identifies this window. The window with the smallest name leads. */
  window: string;
  /** Returns the note that the leader publishes to the others. */
  note: () => string;
  /** Called with the leader's note. */
  onNote: (note: string) => void;
  log: Logger;
}

/**
 * Elects the one window that polls and resends for all. The election is soft: for a moment there may be two leaders or
 * none, which affects only the number of requests. A window with nothing to do does not participate and has no timer; a
 * window without a user interface can't participate.
 */
export class LeaderElection implements Leadership, Disposable {
  private leading = false;
  private participates = false;
  private beating = false;
  private timer: Disposable | undefined;
  /** The windows alive at the last beat. Kept because after the machine slept, all announcements look stale once. */
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
      this.heartbeat();
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

  private heartbeat(): void {
    this.timer = this.options.clock.after(HEARTBEAT_MS, () => this.heartbeat());
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
      log.warn('couldn’t elect the window that polls', error);
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
    const fresh = others.filter(({ ageMs }) => ageMs <= ANNOUNCEMENT_TTL_MS).map((other) => other.window);
    const alive = [...fresh, ...others.map((other) => other.window).filter((name) => this.heard.has(name))];
    this.heard = new Set(fresh);
    const first = alive.reduce((least, other) => (other < least ? other : least), window);
    this.lead(first === window);
    if (first !== window) {
      onNote(others.find((other) => other.window === first)?.note ?? '');
    }
  }

  private lead(leads: boolean): void {
    // By now this window may have stopped participating.
    const leading = leads && this.participates;
    if (leading !== this.leading) {
      this.leading = leading;
      this.changed.fire();
    }
  }
}
