import { rmSync } from 'node:fs';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE } from '../../base/files';
import type { Presence } from '../ports';

/** A name as a window makes it. */
const WINDOW = /^[a-z0-9]{16,64}$/;

/** A word older than this, in milliseconds, is of no window that will ever speak again. */
const FORGOTTEN_MS = 86_400_000;

/** A file a window with its note, `ROOT/WINDOW`; its time of change is when the window last said that it lives. */
export class PresenceFiles implements Presence {
  private said: string | undefined;

  constructor(private readonly root: string) {}

  async announce(window: string, note: string): Promise<{ window: string; ageMs: number; note: string }[]> {
    const now = new Date();
    await this.speak(window, note, now);
    const names = (await readdir(this.root)).filter((name) => name !== window && WINDOW.test(name));
    const others = await Promise.all(names.map((name) => this.hear(name, now)));
    const forgotten = others.filter(({ ageMs }) => ageMs > FORGOTTEN_MS);
    await Promise.all(forgotten.map((other) => rm(join(this.root, other.window), { force: true })));
    return others;
  }

  withdraw(window: string): void {
    rmSync(join(this.root, window), { force: true });
  }

  private async speak(window: string, note: string, now: Date): Promise<void> {
    const path = join(this.root, window);
    try {
      if (note !== this.said) {
        await writeFile(path, note, { mode: PRIVATE_FILE });
      }
      await utimes(path, now, now);
    } catch {
      await makePrivateFolder(this.root);
      await writeFile(path, note, { mode: PRIVATE_FILE });
      await utimes(path, now, now);
    }
    this.said = note;
  }

  /** A time in the future is a clock that was set back: as far off as one in the past. */
  private async hear(window: string, now: Date): Promise<{ window: string; ageMs: number; note: string }> {
    try {
      const path = join(this.root, window);
      const [{ mtimeMs }, note] = await Promise.all([stat(path), readFile(path, 'utf8')]);
      return { window, ageMs: Math.abs(now.getTime() - mtimeMs), note };
    } catch {
      // It has just closed.
      return { window, ageMs: Infinity, note: '' };
    }
  }
}
