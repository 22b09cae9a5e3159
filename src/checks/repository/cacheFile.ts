import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile, replaceFile } from '../../base/files';
import type { CacheStore } from '../ports';

/** Larger results aren't kept. In characters. */
const MAX_FILE = 30_000_000;
/** Maximum number of repositories whose results are kept. */
const MAX_FILES = 30;

/**
 * One file per repository in the user's cache folder. If it can't be read or written, the next check only takes longer.
 */
export class CacheFile implements CacheStore {
  private readonly file: string;

  constructor(
    private readonly folder: string,
    repositories: readonly string[],
  ) {
    const name = createHash('sha256').update(repositories.join('\0')).digest('hex').slice(0, 32);
    this.file = join(folder, `${name}.json`);
  }

  async load(): Promise<unknown> {
    try {
      return (await stat(this.file)).size > MAX_FILE ? undefined : JSON.parse(await readFile(this.file, 'utf8'));
    } catch {
      return undefined;
    }
  }

  async save(value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    if (text.length <= MAX_FILE) {
      await replaceFile(this.file, text);
      await this.removeOldest();
    }
  }

  private async removeOldest(): Promise<void> {
    const names = (await readdir(this.folder)).filter((name) => /^[0-9a-f]{32}\.json/.test(name));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.folder, name);
        return { path, at: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    const old = files.toSorted((a, b) => b.at - a.at).slice(MAX_FILES);
    await Promise.all(old.map(({ path }) => removeFile(path)));
  }
}
