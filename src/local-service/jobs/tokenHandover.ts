import { type Clock, delay } from '../../base/async';

/** How long after the start of the service the editor has to hand over tokens, in milliseconds. */
const LIMIT_MS = 15_000;

/**
 * How long the editor has after it sent the project's settings, in milliseconds. It learns the host from the response,
 * and then sends the token.
 */
const AFTER_SETTINGS_MS = 3_000;

const CHECK_AGAIN_MS = 100;

/**
 * Delays what the previous run of the service left to be published. The tokens for it were in that run's memory; the
 * editor that started this run hands them over shortly.
 */
export class TokenHandover {
  private readonly start: number;
  /** When the settings of each project first arrived, in milliseconds on the monotonic clock. */
  private readonly settingsAt = new Map<string, number>();

  /** @param hasToken whether a token was given for a host */
  constructor(
    private readonly clock: Clock,
    private readonly hasToken: (host: string) => boolean,
  ) {
    this.start = clock.monotonic();
  }

  settingsCame(projectId: string): void {
    if (!this.settingsAt.has(projectId)) {
      this.settingsAt.set(projectId, this.clock.monotonic());
    }
  }

  /**
   * Resolves when the project's token is available, when it needs none, or when time is up. Rejects with the signal's
   * reason.
   *
   * @param host resolves to the Git host of the project; undefined for none
   */
  async wait(projectId: string, host: Promise<string | undefined>, signal: AbortSignal): Promise<void> {
    let isReady = (): boolean => false;
    void host.then(
      (found) => (isReady = () => found === undefined || this.hasToken(found)),
      () => (isReady = () => true),
    );
    await delay(this.clock, 0, signal);
    while (!isReady() && this.clock.monotonic() < this.deadline(projectId)) {
      await delay(this.clock, CHECK_AGAIN_MS, signal);
    }
  }

  private deadline(projectId: string): number {
    return Math.min(this.start + LIMIT_MS, (this.settingsAt.get(projectId) ?? Infinity) + AFTER_SETTINGS_MS);
  }
}
