import { rmSync } from 'node:fs';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE } from '../../base/files';
import type { Presence } from '../ports';

/** The pattern of a window's id. */
const WINDOW = /^[a-z0-9]{16,64}$/;

/** An announcement older than this, in milliseconds, belongs to a window that will never return. */
const FORGOTTEN_MS = 86_400_000;

/**
 * One file per window, `ROOT/WINDOW`, containing its note; the modification time is when the window last announced
 * itself.
 */
export class PresenceFiles implements Presence {
  private said: string | undefined;

  constructor(private readonly root: string) {}

  async announce(window: string, note: string): Promise<{ window: string; ageMs: number; note: string }[]> {
    const now = new Date();
    await this.writeNote(window, note, now);
    const names = (await readdir(this.root)).filter((name) => name !== window && WINDOW.test(name));
    const others = await Promise.all(names.map((name) => this.readNote(name, now)));
    const forgotten = others.filter(({ ageMs }) => ageMs > FORGOTTEN_MS);
    await Promise.all(forgotten.map((other) => rm(join(this.root, other.window), { force: true })));
    return others;
  }

  withdraw(window: string): void {
    rmSync(join(this.root, window), { force: true });
  }

  private async writeNote(window: string, note: string, now: Date): Promise<void> {
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

  /** Uses the absolute difference: a time in the future means that the clock was set back. */
  private async readNote(window: string, now: Date): Promise<{ window: string; ageMs: number; note: string }> {
    try {
      const path = join(this.root, window);
      const [{ mtimeMs }, note] = await Promise.all([stat(path), readFile(path, 'utf8')]);
      return { window, ageMs: Math.abs(now.getTime() - mtimeMs), note };
    } catch {
      // The window has just closed.
      return { window, ageMs: Infinity, note: '' };
    }
  }
}
