import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/async';
import { makePrivateFolder, move, removeFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import { TEMPORARY_SUFFIX, writeDurably } from './writeDurably';

/** A stored text and the name of its file. */
export interface StoredDraft {
  text: string;
  file: string;
}

/** The newest text of a target. */
export interface TargetDraft {
  target: string;
  text: string;
  /** When it was written, in milliseconds. */
  at: number;
}

export interface DraftFilesOptions {
  /** The folder; created when there is something to store. */
  root: string;
  /** An id of this window that no other window has: letters and digits. */
  writer: string;
  clock: Pick<Clock, 'now'>;
  log: Logger;
}

/** Target hash, timestamp (milliseconds in base 36), writer. */
const NAME = /^([0-9a-f]{32})-([0-9a-z]{9})-[0-9a-z]+\.json$/;

const DAMAGED_SUFFIX = '.damaged';

/** A temporary file older than this, in milliseconds, has no living writer. */
const STALE_MS = 600_000;

/**
 * Texts that were typed but not sent, one file each. Files are immutable: a later text is written to a new file, under
 * a writer id that no other window uses, and the previous one is removed. So windows share the folder without locks,
 * and a window can only remove what it has read.
 */
export class DraftFiles {
  /** The latest timestamp seen, so that a clock that was set back does not sort a new text before an older one. */
  private latest = 0;

  constructor(private readonly options: DraftFilesOptions) {}

  /** Returns the last text stored for a target by any window. Never rejects: unreadable files are logged. */
  async newest(target: string): Promise<StoredDraft | undefined> {
    const prefix = `${targetName(target)}-`;
    const names = await this.list();
    const candidates = names.filter((name) => name.startsWith(prefix) && NAME.test(name)).sort();
    this.latest = Math.max(this.latest, ...candidates.map(timeOf));
    for (const file of candidates.reverse()) {
      const draft = await this.read(file);
      if (draft?.target === target) {
        return { text: draft.text, file };
      }
    }
    return undefined;
  }

  /** Returns the newest text of each target, stored by any window. Never rejects: unreadable files are logged. */
  async all(): Promise<TargetDraft[]> {
    const names = (await this.list()).filter((name) => NAME.test(name)).sort();
    const found = new Map<string, TargetDraft>();
    for (const file of names.reverse()) {
      const hash = file.slice(0, file.indexOf('-'));
      const draft = found.has(hash) ? undefined : await this.read(file);
      if (draft !== undefined && targetName(draft.target) === hash) {
        found.set(hash, { target: draft.target, text: draft.text, at: timeOf(file) });
      }
    }
    return [...found.values()];
  }

  /** Stores a text. Resolves to its file name when it would survive a crash of the machine. */
  async write(target: string, text: string): Promise<string> {
    const { root, writer, clock } = this.options;
    this.latest = Math.max(clock.now(), this.latest + 1);
    const file = `${targetName(target)}-${this.latest.toString(36).padStart(9, '0')}-${writer}.json`;
    const { DRAFT_VERSION } = await import('./draftSchema');
    await makePrivateFolder(root);
    await writeDurably(join(root, file), JSON.stringify({ version: DRAFT_VERSION, target, text }));
    return file;
  }

  /** Removes files whose names `newest` or `write` returned. Never rejects. */
  async remove(files: Iterable<string>): Promise<void> {
    for (const file of files) {
      await removeFile(join(this.options.root, file)).catch((error: unknown) =>
        this.options.log.warn(`couldn’t remove the draft ${file}`, error),
      );
    }
  }

  private async list(): Promise<string[]> {
    const { root, log } = this.options;
    try {
      const names = await readdir(root);
      await this.sweep(names);
      return names;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        log.warn('couldn’t read the drafts', error);
      }
      return [];
    }
  }

  private async read(file: string): Promise<{ target: string; text: string } | undefined> {
    const { root, log } = this.options;
    const path = join(root, file);
    const { draftSchema, newerDraftSchema } = await import('./draftSchema');
    let content: string;
    try {
      content = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        log.warn(`couldn’t read the draft ${file}`, error);
      }
      return undefined;
    }
    const value = decodeJson(content);
    const parsed = draftSchema.safeParse(value);
    if (parsed.success) {
      return parsed.data;
    }
    if (newerDraftSchema.safeParse(value).success) {
      log.warn(`the draft ${file} was written by a newer version and was left unchanged`);
      return undefined;
    }
    log.error(`the draft ${file} is damaged and was set aside as ${file}${DAMAGED_SUFFIX}`, parsed.error);
    await move(path, path + DAMAGED_SUFFIX).catch((error: unknown) =>
      log.warn(`couldn’t remove the draft ${file}`, error),
    );
    return undefined;
  }

  /** Removes leftovers of interrupted writes. */
  private async sweep(names: readonly string[]): Promise<void> {
    for (const name of names.filter((each) => each.endsWith(TEMPORARY_SUFFIX))) {
      const path = join(this.options.root, name);
      const age = Date.now() - (await stat(path).catch(() => ({ mtimeMs: Infinity }))).mtimeMs;
      if (age > STALE_MS) {
        await this.remove([name]);
      }
    }
  }
}

/** A target contains the ids of jobs and prompts; its file name contains only the hash. */
function targetName(target: string): string {
  return createHash('sha256').update(target).digest('hex').slice(0, 32);
}

function timeOf(name: string): number {
  return parseInt(NAME.exec(name)?.[2] ?? '0', 36);
}
