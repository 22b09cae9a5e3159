// Runs in a thread of its own: reads the folders of many jobs, and tells of them as it goes.
import { sep } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type FolderFiles, readFolder } from './recordFolder';

export interface ReaderTask {
  root: string;
  keys: readonly string[];
}

/** What was read of some jobs, by key; undefined for a folder that can't be read. */
export type ReaderMessage = [key: string, files: FolderFiles | undefined][];

/** How many jobs a message tells of: few enough to be taken in within a millisecond. */
const AT_ONCE = 50;

const { root, keys } = workerData as ReaderTask;
for (let first = 0; first < keys.length; first += AT_ONCE) {
  const message: ReaderMessage = keys.slice(first, first + AT_ONCE).map((key) => [key, tryToRead(key)]);
  parentPort?.postMessage(message);
}

/** Whoever asks for a job that can't be read tries it again, and tells why. */
function tryToRead(key: string): FolderFiles | undefined {
  try {
    return readFolder(root + sep + key);
  } catch {
    return undefined;
  }
}
