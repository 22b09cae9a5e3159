import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * How old a folder's modification time must be before an unchanged time proves that nothing was written, in
 * milliseconds: some file systems store times with a resolution of one or two seconds.
 */
const COARSE_MS = 2500;

/** Finds the jobs that were written to by their folders' modification times, where the system reports no file events. */
export class RecordChanges {
  private readonly times = new Map<string, number>();

  /**
   * @param root the folder of all jobs
   * @param now wall time in milliseconds
   */
  constructor(
    private readonly root: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns the keys of the jobs that are new or were written to since the last call. */
  async find(): Promise<string[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const changed = await Promise.all(names.map((name) => this.hasChanged(name)));
    return names.filter((_, index) => changed[index]);
  }

  private async hasChanged(name: string): Promise<boolean> {
    const time = await stat(join(this.root, name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (time === undefined) {
      return false;
    }
    const isNew = this.times.get(name) !== time;
    // If a time is this recent, a later write might not change it.
    this.times.set(name, Math.abs(this.now() - time) < COARSE_MS ? NaN : time);
    return isNew;
  }
}
