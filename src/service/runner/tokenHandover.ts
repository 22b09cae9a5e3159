import { type Clock, delay } from '../../shared/util/clock';

/** How long after the start of the service its editor has to hand tokens over, in milliseconds. */
const LIMIT_MS = 15_000;

/** The same, after it has spoken of the project: first it tells the settings and learns the host, then it gives the token. */
const AFTER_SETTINGS_MS = 3_000;

const LOOK_MS = 100;

/**
 * What the last run of the service left to be published waits here: the tokens for it were in that run's memory, and the
 * editor which started this one hands them over in a moment.
 */
export class TokenHandover {
  private readonly start: number;
  /** When the settings of a project came first. */
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
   * Resolves when the project's token is there, when it needs none, or when the time is over. Rejects with the signal's
   * reason.
   *
   * @param host the code host of the project, as soon as it is known; undefined for none
   */
  async wait(projectId: string, host: Promise<string | undefined>, signal: AbortSignal): Promise<void> {
    let isReady = (): boolean => false;
    void host.then(
      (found) => (isReady = () => found === undefined || this.hasToken(found)),
      () => (isReady = () => true),
    );
    await delay(this.clock, 0, signal);
    while (!isReady() && this.clock.monotonic() < this.deadline(projectId)) {
      await delay(this.clock, LOOK_MS, signal);
    }
  }

  private deadline(projectId: string): number {
    return Math.min(this.start + LIMIT_MS, (this.settingsAt.get(projectId) ?? Infinity) + AFTER_SETTINGS_MS);
  }
}
