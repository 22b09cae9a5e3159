import { rmSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Presence } from '../jobs/ports';

/** A name as a window makes it. */
const WINDOW = /^[a-z0-9]{16,64}$/;

/** A word older than this, in milliseconds, is of no window that will ever speak again. */
const FORGOTTEN_MS = 86_400_000;

/** An empty file a window, `ROOT/WINDOW`; its time of change is when the window last said that it lives. */
export class PresenceFiles implements Presence {
  constructor(private readonly root: string) {}

  async announce(window: string): Promise<{ window: string; ageMs: number }[]> {
    const now = new Date();
    await this.touch(window, now);
    const names = (await readdir(this.root)).filter((name) => name !== window && WINDOW.test(name));
    const ages = await Promise.all(names.map((name) => this.age(name, now)));
    await Promise.all(
      names
        .filter((_, index) => (ages[index] ?? 0) > FORGOTTEN_MS)
        .map((name) => rm(join(this.root, name), { force: true })),
    );
    return names.map((name, index) => ({ window: name, ageMs: ages[index] ?? Infinity }));
  }

  withdraw(window: string): void {
    rmSync(join(this.root, window), { force: true });
  }

  private async touch(window: string, now: Date): Promise<void> {
    const path = join(this.root, window);
    try {
      await utimes(path, now, now);
    } catch {
      await mkdir(this.root, { recursive: true, mode: 0o700 });
      await writeFile(path, '', { mode: 0o600 });
      await utimes(path, now, now);
    }
  }

  /** A time in the future is a clock that was set back: as far off as one in the past. */
  private async age(name: string, now: Date): Promise<number> {
    const found = await stat(join(this.root, name)).catch(() => undefined);
    return found === undefined ? Infinity : Math.abs(now.getTime() - found.mtimeMs);
  }
}
