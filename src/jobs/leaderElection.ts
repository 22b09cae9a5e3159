import type { Clock } from '../base/async';
import { type Disposable, Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { LeaderFile, Leadership, LeaderRecord, UiProbe } from './ports';

/** How often a window checks who leads and, if it does, says so, in milliseconds. */
export const HEARTBEAT_MS = 5000;

/** How many heartbeats of the leader another window misses before it takes over. */
export const MISSED_BEATS = 3;

export interface LeaderElectionOptions {
  file: LeaderFile;
  uiProbe: UiProbe;
  clock: Clock;
  /** Identifies this window. */
  window: string;
  /** Returns what this window tells the others while it leads. */
  failing: () => LeaderRecord['failing'];
  /** Called with what the leader says. */
  onHeard: (failing: LeaderRecord['failing']) => void;
  log: Logger;
}

/**
 * Elects the one window that polls and resends for all: the one named in a file, until it closes or its heartbeats stop.
 * The election is soft: for a moment there may be two leaders or none, which affects only the number of requests. A
 * window with nothing to do does not participate and has no timer; a window without a user interface can't participate.
 */
export class LeaderElection implements Leadership, Disposable {
  private leading = false;
  private participates = false;
  private beating = false;
  private timer: Disposable | undefined;
  /** What the file said at the last heartbeat, and how often it has said the same since. */
  private seen: LeaderRecord | undefined;
  private missed = 0;
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
    this.seen = undefined;
    if (this.leading) {
      this.options.file.remove();
    }
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
    void this.beat().finally(() => (this.beating = false));
  }

  private async beat(): Promise<void> {
    const { file, uiProbe, window, failing, clock, log } = this.options;
    try {
      await uiProbe.ping();
      if (!this.participates) {
        return;
      }
      const record = await file.update((found) =>
        found === undefined || this.mayLead(found)
          ? { window, beat: (found?.beat ?? 0) + 1, at: clock.now(), failing: this.leading ? failing() : [] }
          : found,
      );
      this.elect(record);
    } catch (error) {
      // Polling twice is better than not at all.
      log.warn('couldn’t elect the window that polls', error);
      this.lead(true);
    }
  }

  private elect(record: LeaderRecord | undefined): void {
    const { file, window, onHeard } = this.options;
    const isOwn = record?.window === window;
    if (isOwn && !this.participates) {
      // This window stopped participating while the file was being written.
      file.remove();
    }
    this.lead(isOwn);
    if (!isOwn) {
      onHeard(record?.failing ?? []);
    }
  }

  /**
   * True if this window leads, or the leader's heartbeats have stopped. They are counted, because after the machine
   * slept, the last one looks old. A time is used only for a leader that this window has not heard before.
   */
  private mayLead(found: LeaderRecord): boolean {
    const { window, clock } = this.options;
    const isSame = this.seen?.window === found.window && this.seen.beat === found.beat;
    const isOld = this.seen === undefined && Math.abs(clock.now() - found.at) > MISSED_BEATS * HEARTBEAT_MS;
    this.missed = isSame ? this.missed + 1 : 0;
    this.seen = found;
    return found.window === window || isOld || this.missed >= MISSED_BEATS;
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
