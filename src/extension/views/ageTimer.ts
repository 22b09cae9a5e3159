import type { Disposable } from '../../shared/util/disposable';

const MINUTE_MS = 60_000;

/** Has ages drawn anew each minute while they can be seen; else no timer runs. */
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
