import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** So many folders are looked at in one go. */
const AT_ONCE = 32;

/** So many folders at most in one look; where there are more they take turns. New ones are always seen. */
const MAX_FOLDERS = 2000;

/**
 * How old the time of a folder must be before it tells whether something was written since, in milliseconds: some disks
 * keep times by the second or two.
 */
const COARSE_MS = 2500;

/** Finds the jobs to which something was written by the times of their folders, where the system reports no file events. */
export class RecordChanges {
  private readonly times = new Map<string, number>();
  private turn = 0;

  /**
   * @param root the folder of all jobs
   * @param now wall time in milliseconds
   */
  constructor(
    private readonly root: string,
    private readonly now: () => number = Date.now,
  ) {}

  /** The names of the jobs that are new or were written to since the last look. What can't be read now is read later. */
  async look(): Promise<string[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const [known, fresh] = [
      names.filter((name) => this.times.has(name)),
      names.filter((name) => !this.times.has(name)),
    ];
    const wanted = [...fresh, ...this.inTurn(known)];
    const changed: string[] = [];
    for (let from = 0; from < wanted.length; from += AT_ONCE) {
      const some = wanted.slice(from, from + AT_ONCE);
      const news = await Promise.all(some.map((name) => this.hasChanged(name)));
      changed.push(...some.filter((_, index) => news[index]));
    }
    return changed;
  }

  private inTurn(names: readonly string[]): readonly string[] {
    if (names.length <= MAX_FOLDERS) {
      return names;
    }
    const from = this.turn % names.length;
    this.turn = from + MAX_FOLDERS;
    return [...names.slice(from), ...names.slice(0, from)].slice(0, MAX_FOLDERS);
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
    // A later write may not show in a time that is still so young.
    this.times.set(name, Math.abs(this.now() - time) < COARSE_MS ? NaN : time);
    return isNew;
  }
}
