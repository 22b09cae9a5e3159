import type { Disposable } from '../../shared/util/disposable';

const MINUTE_MS = 60_000;

/** Refreshes ages every minute while they are visible; otherwise no timer runs. */
export class AgeTimer implements Disposable {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly draw: () => void) {}

  run(isNeeded: boolean): void {
    if (!isNeeded) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else {
      this.timer ??= setInterval(this.draw, MINUTE_MS);
    }
  }

  dispose(): void {
    this.run(false);
  }
}
