import { readdirSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { TEMPORARY_SUFFIX } from './writeDurably';

export const RECORD_SUFFIX = '.json';

/** A stamp as our store makes it: nine digits of time, and who wrote it. */
const RECORD = /^[0-9a-z]{9}-[0-9a-z]+\.json$/;

/** Many records in one file, one a line. Only its writer can choose the name, so nobody ever replaces one. */
const COMPACTED = /^all-[0-9a-f]{16}\.jsonl$/;

/** `go-SEND` for the first claim to send, `go-SEND-2` for the second. */
export const GO = /^go-([0-9a-z]+)(?:-(\d{1,6}))?$/;

/** How often a folder is listed anew because files vanished while they were read. */
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
  /** Files that somebody has begun to write. */
  unfinished: string[];
}

/**
 * Reads what is wanted of a job's folder. The files are small and many, and read synchronously: a promise a file takes
 * five times as long. Throws what the disk says.
 */
export function readFolder(folder: string, isWanted: (name: string) => boolean = () => true): FolderFiles {
  for (let tries = 1; ; tries++) {
    const found = tryToRead(folder, isWanted, tries === MAX_TRIES);
    if (found !== undefined) {
      return found;
    }
  }
}

/** Undefined when a listed file has vanished: its events are in another file by then, which the list may not have. */
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
    } else if (GO.test(name)) {
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

/** Undefined for a file that another window has just compacted or set aside. */
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
