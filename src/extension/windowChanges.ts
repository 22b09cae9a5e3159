import type { Logger } from '../shared/util/logger';

/** How often it is looked for what other windows wrote while the user is in this one, in milliseconds. */
export const LOOK_MS = 5000;

export interface WindowChangesOptions {
  /** The jobs that were written to since the last look. */
  look: () => Promise<readonly string[]>;
  refresh: (key: string) => Promise<void>;
  log: Logger;
}

/**
 * Follows other windows where the editor's watcher hears nothing: its limit is reached, or the disk is a network's. It
 * looks when the user comes to this window and every few seconds while they are there; else no timer runs.
 */
export class WindowChanges {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private hasBegun = false;

  constructor(private readonly options: WindowChangesOptions) {}

  /** From now on changes count; what was written before is read with all records. */
  async begin(isFocused: boolean): Promise<void> {
    await this.options.look();
    this.hasBegun = true;
    this.focus(isFocused);
  }

  focus(isFocused: boolean): void {
    if (!this.hasBegun || !isFocused) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else if (this.timer === undefined) {
      this.timer = setInterval(() => void this.look(), LOOK_MS);
      void this.look();
    }
  }

  dispose(): void {
    this.hasBegun = false;
    this.focus(false);
  }

  private look(): Promise<void> {
    return (this.looking ??= this.lookOnce()
      .catch((error: unknown) => this.options.log.warn('what other windows wrote could not be looked for', error))
      .finally(() => (this.looking = undefined)));
  }

  private async lookOnce(): Promise<void> {
    const { look, refresh } = this.options;
    for (const key of await look()) {
      await refresh(key);
    }
  }
}
