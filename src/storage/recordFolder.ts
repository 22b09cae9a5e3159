import { readFileSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { TEMPORARY_SUFFIX } from './writeDurably';

export const RECORD_SUFFIX = '.json';

/** A stamp as our store makes it: nine digits of time, and who wrote it. */
const RECORD = /^[0-9a-z]{9}-[0-9a-z]+\.json$/;

/** `go-SEND` for the first leave, `go-SEND-2` for the second. */
export const GO = /^go-([0-9a-z]+)(?:-(\d{1,6}))?$/;

/** What stands in the folder of one job, not yet understood. */
export interface FolderFiles {
  /** The texts of the records. */
  records: { name: string; text: string }[];
  /** The names of the leaves to POST, which are empty. */
  leaves: string[];
  /** Files that somebody has begun to write. */
  unfinished: string[];
}

/**
 * Reads what is wanted of a job's folder. The files are small and many, and read at one go: a promise a file takes five times
 * as long. Throws what the disk says.
 */
export function readFolder(folder: string, isWanted: (name: string) => boolean = () => true): FolderFiles {
  const found: FolderFiles = { records: [], leaves: [], unfinished: [] };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isFile()) {
      // None of ours, whatever its name: a link may lead anywhere, and the reading of a pipe would not end.
      continue;
    }
    if (name.endsWith(TEMPORARY_SUFFIX)) {
      found.unfinished.push(name);
    } else if (RECORD.test(name) && isWanted(name)) {
      const text = readText(folder + sep + name);
      if (text !== undefined) {
        found.records.push({ name, text });
      }
    } else if (GO.test(name) && isWanted(name)) {
      found.leaves.push(name);
    }
  }
  return found;
}

/** Undefined for a file that another window has just set aside. What else can't be read is read again later. */
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
