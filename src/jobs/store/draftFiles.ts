import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../base/async';
import { isAbsent, makePrivateFolder, PRIVATE_FILE, removeFile, syncFolder } from '../../base/files';
import type { Logger } from '../../base/logger';
import { TEMPORARY_SUFFIX, writeDurably } from './writeDurably';

/** A prompt that the user edits as a file. */
export interface DraftFile {
  path: string;
  /** The folder of its target, relative to the folder of all drafts. */
  folder: string;
  text: string;
  /** When it was last saved, in milliseconds. */
  at: number;
}

export interface NewDraft {
  /** For the name of the file; a number is added if it exists, or if it is not free for another reason. */
  title: string;
  text: string;
  isFree?: (path: string) => boolean;
}

export interface DraftFilesOptions {
  /** The folder; created when there is something to store. */
  root: string;
  /** An id of this window that no other window has: letters and digits. */
  writer: string;
  clock: Pick<Clock, 'now'>;
  log: Logger;
}

/** Text of an input box: the box, a timestamp (milliseconds in base 36), the writer. No other draft has a `~`. */
const TYPED = /^([\w ]+)~([0-9a-z]{9})-[0-9a-z]+\.md$/;

/** A temporary file older than this, in milliseconds, has no living writer. */
const STALE_MS = 600_000;

/**
 * Prompts that were not sent, as Markdown files in a folder for each target. The editor saves those that it shows.
 *
 * The text of an input box is written to a new file each time, under a writer id that no other window uses, and the
 * previous file is removed. So windows share the folder without locks, and a window can only remove what it has read.
 */
export class DraftFiles {
  /** The latest timestamp seen, so that a clock that was set back does not sort a new text before an older one. */
  private latest = 0;

  constructor(private readonly options: DraftFilesOptions) {}

  /**
   * Returns the last text typed in a box (`FOLDER/BOX`) in any window, and its file. Never rejects: unreadable files are
   * logged.
   */
  async newest(key: string): Promise<{ text: string; path: string } | undefined> {
    const [folder, box] = split(key);
    const names = (await this.list(folder)).filter((name) => TYPED.exec(name)?.[1] === box);
    this.latest = Math.max(this.latest, ...names.map(timeOf));
    for (const name of names.sort((a, b) => timeOf(b) - timeOf(a))) {
      const path = join(this.options.root, folder, name);
      const text = await this.read(path);
      if (text !== undefined) {
        return { text, path };
      }
    }
    return undefined;
  }

  /** Stores the text of a box. Resolves to its file when it would survive a crash of the machine. */
  async write(key: string, text: string): Promise<string> {
    const { root, writer, clock } = this.options;
    const [folder, box] = split(key);
    this.latest = Math.max(clock.now(), this.latest + 1);
    const path = join(root, folder, `${box}~${this.latest.toString(36).padStart(9, '0')}-${writer}.md`);
    await makePrivateFolder(join(root, folder));
    await writeDurably(path, text);
    return path;
  }

  /** Removes files that this window has read or written. Never rejects. */
  async remove(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      await removeFile(path).catch((error: unknown) =>
        this.options.log.warn(`couldn’t remove the draft ${path}`, error),
      );
    }
  }

  /** The last text typed in this box for each target. Never rejects. */
  async typed(box: string): Promise<DraftFile[]> {
    const folders = new Set((await this.list('', true)).map((name) => dirname(name).replaceAll('\\', '/')));
    const found = [...folders].map(async (folder): Promise<DraftFile[]> => {
      const draft = await this.newest(`${folder}/${box}`);
      return draft === undefined ? [] : [{ ...draft, folder, at: timeOf(basename(draft.path)) }];
    });
    return (await Promise.all(found)).flat();
  }

  /** The prompts that are edited as files, newest first; those of one target if a folder is given. Never rejects. */
  async all(folder?: string): Promise<DraftFile[]> {
    const names =
      folder === undefined ? await this.list('', true) : (await this.list(folder)).map((name) => `${folder}/${name}`);
    await this.sweep(names);
    const found = names.map(async (name): Promise<DraftFile[]> => {
      const [, at = '', file = ''] = /^([^/]+\/[^/]+)\/([^/~]+\.md)$/.exec(name.replaceAll('\\', '/')) ?? [];
      const path = join(this.options.root, at, file);
      const text = file === '' ? undefined : await this.read(path);
      return text === undefined ? [] : [{ path, folder: at, text, at: await savedAt(path) }];
    });
    return (await Promise.all(found)).flat().sort((a, b) => b.at - a.at);
  }

  /** Creates the file of a prompt, and returns its path. Resolves when it would survive a crash. */
  async create(folder: string, { title, text, isFree = () => true }: NewDraft): Promise<string> {
    const at = join(this.options.root, folder);
    const unsafe = /[/\\?#%*:|"<>~]/g;
    const name = title.replace(unsafe, ' ').replace(/\s+/g, ' ').trim().slice(0, 80);
    await makePrivateFolder(at);
    for (let number = 1; ; number++) {
      const path = join(at, number === 1 ? `${name}.md` : `${name} (${number}).md`);
      if (!isFree(path)) {
        continue;
      }
      try {
        const file = await open(path, 'wx', PRIVATE_FILE);
        try {
          await file.writeFile(text);
          await file.sync();
        } finally {
          await file.close();
        }
        await syncFolder(at);
        return path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
          await this.remove([path]);
          throw error;
        }
      }
    }
  }

  /** Removes the file of a prompt if it has no text. Never rejects. */
  async removeEmpty(path: string): Promise<void> {
    if ((await this.read(path))?.trim() === '') {
      await this.remove([path]);
    }
  }

  private async list(folder: string, recursive = false): Promise<string[]> {
    try {
      return await readdir(join(this.options.root, folder), { recursive });
    } catch (error) {
      if (!isAbsent(error)) {
        this.options.log.warn('couldn’t read the drafts', error);
      }
      return [];
    }
  }

  private async read(path: string): Promise<string | undefined> {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (!isAbsent(error)) {
        this.options.log.warn(`couldn’t read the draft ${path}`, error);
      }
      return undefined;
    }
  }

  /** Removes leftovers of interrupted writes. */
  private async sweep(names: readonly string[]): Promise<void> {
    for (const name of names.filter((each) => each.endsWith(TEMPORARY_SUFFIX))) {
      const path = join(this.options.root, name);
      if (Date.now() - (await savedAt(path)) > STALE_MS) {
        await this.remove([path]);
      }
    }
  }
}

function split(key: string): [folder: string, box: string] {
  const at = key.lastIndexOf('/');
  return [key.slice(0, at), key.slice(at + 1)];
}

function timeOf(name: string): number {
  return parseInt(TYPED.exec(name)?.[2] ?? '0', 36);
}

/** A file that is gone counts as new. */
async function savedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => ({ mtimeMs: Infinity }))).mtimeMs;
}
