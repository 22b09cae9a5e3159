import { readdirSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { TEMPORARY_SUFFIX } from './writeDurably';

export const RECORD_SUFFIX = '.json';

/** A stamp as written by our store: nine digits of time, then the writer's id. */
const RECORD = /^[0-9a-z]{9}-[0-9a-z]+\.json$/;

/** Many records in one file, one per line. Only its writer can choose the name, so the file is never replaced. */
const COMPACTED = /^all-[0-9a-f]{16}\.jsonl$/;

/** `go-SEND` for the first claim to send, `go-SEND-2` for the second. */
export const CLAIM_NAME = /^go-([0-9a-z]+)(?:-(\d{1,6}))?$/;

/** How often a folder is listed again because files vanished while being read. */
const MAX_TRIES = 10;

interface NamedText {
  name: string;
  text: string;
}

/** The contents of one job's folder, not yet parsed. */
export interface FolderFiles {
  /** One record each. */
  records: NamedText[];
  /** Many records each. */
  compacted: NamedText[];
  /** The names of the claims to send, which are empty files. */
  claims: string[];
  /** Temporary files that are still being written, or were never finished. */
  unfinished: string[];
}

/**
 * Reads the wanted files of a job's folder. The files are small and many, so they are read synchronously: one promise
 * per file takes five times as long. Throws file system errors.
 */
export function readFolder(folder: string, isWanted: (name: string) => boolean = () => true): FolderFiles {
  for (let tries = 1; ; tries++) {
    const found = tryToRead(folder, isWanted, tries === MAX_TRIES);
    if (found !== undefined) {
      return found;
    }
  }
}

/** Returns undefined if a listed file has vanished: its events are then in another file that the listing may lack. */
function tryToRead(folder: string, isWanted: (name: string) => boolean, isLast: boolean): FolderFiles | undefined {
  const found: FolderFiles = { records: [], compacted: [], claims: [], unfinished: [] };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isFile()) {
      // Not ours, whatever its name: a link may lead anywhere, and reading a pipe would never end.
      continue;
    }
    const isRecord = RECORD.test(name) && isWanted(name);
    if (name.endsWith(TEMPORARY_SUFFIX)) {
      found.unfinished.push(name);
    } else if (CLAIM_NAME.test(name)) {
      found.claims.push(...(isWanted(name) ? [name] : []));
    } else if (isRecord || COMPACTED.test(name)) {
      const text = readText(folder + sep + name);
      if (text !== undefined) {
        (isRecord ? found.records : found.compacted).push({ name, text });
      } else if (!isLast) {
        return undefined;
      }
    }
  }
  return found;
}

/** Returns undefined if another window has just compacted or set aside the file. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** How many folders are checked concurrently. */
const AT_ONCE = 32;

/**
 * The maximum number of known folders checked per look; if there are more, they take turns. New ones are always
 * checked.
 */
const MAX_FOLDERS = 2000;

/**
 * How old a folder's modification time must be before an unchanged time proves that nothing was written, in
 * milliseconds: some file systems store times with a resolution of one or two seconds.
 */
const COARSE_MS = 2500;

/** Detects which jobs were written to by their folders' modification times, where the system reports no file events. */
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

  /**
   * Returns the names of the jobs that are new or were written to since the last call. Folders that can't be read now
   * are checked again later.
   */
  async look(): Promise<string[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const [known, fresh] = [
      names.filter((name) => this.times.has(name)),
      names.filter((name) => !this.times.has(name)),
    ];
    const wanted = [...fresh, ...this.nextBatch(known)];
    const changed: string[] = [];
    for (let from = 0; from < wanted.length; from += AT_ONCE) {
      const some = wanted.slice(from, from + AT_ONCE);
      const news = await Promise.all(some.map((name) => this.hasChanged(name)));
      changed.push(...some.filter((_, index) => news[index]));
    }
    return changed;
  }

  private nextBatch(names: readonly string[]): readonly string[] {
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
    // If a time is this recent, a later write might not change it.
    this.times.set(name, Math.abs(this.now() - time) < COARSE_MS ? NaN : time);
    return isNew;
  }
}
