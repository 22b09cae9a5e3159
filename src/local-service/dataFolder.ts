import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { keepPrivate, makePrivateFolder, PRIVATE_FILE, replaceFile } from '../base/files';
import { LOCAL_KEY, LOCAL_KEY_PREFIX } from '../protocol/localIds';
import { UsageError } from './options';

/** The platform's places for a user's application data, and for what can be worked out again. */
const PLACES = {
  data: {
    win32: 'docs-agent',
    darwin: ['Library', 'Application Support'],
    variable: 'XDG_DATA_HOME',
    other: ['.local', 'share'],
  },
  cache: { win32: 'docs-agent-cache', darwin: ['Library', 'Caches'], variable: 'XDG_CACHE_HOME', other: ['.cache'] },
} as const;

export function userFolder(
  kind: keyof typeof PLACES,
  environment: NodeJS.ProcessEnv,
  home = homedir(),
  platform: NodeJS.Platform = process.platform,
): string {
  const paths = platform === 'win32' ? win32 : posix;
  // XDG Base Directory Specification: a value that is not an absolute path is ignored.
  const set = (name: string): string | undefined =>
    paths.isAbsolute(environment[name] ?? '') ? environment[name] : undefined;
  const place = PLACES[kind];
  switch (platform) {
    case 'win32':
      return win32.join(set('LOCALAPPDATA') ?? win32.join(home, 'AppData', 'Local'), place.win32);
    case 'darwin':
      return posix.join(home, ...place.darwin, 'docs-agent');
    default:
      return posix.join(set(place.variable) ?? posix.join(home, ...place.other), 'docs-agent');
  }
}

/** Marker file of a folder that belongs to this service. */
const MARK = 'docs-agent-data';
/** Says which service is running with the folder. */
export const STATE_FILE = 'state.json';
/** The key of a service that was started manually. */
export const KEY_FILE = 'key';

/** What an editor writes there before it starts the service. */
const OF_EDITOR = /^(service\.log(\.1)?|stopped)$/;

/**
 * Claims the folder for this service, which keeps its files in it and removes old ones. Throws UsageError for a folder
 * that contains anything else.
 */
export async function claimDataFolder(folder: string): Promise<void> {
  await makePrivateFolder(folder);
  const names = await readdir(folder);
  if (names.includes(MARK)) {
    return;
  }
  if (!names.every((name) => OF_EDITOR.test(name))) {
    throw new UsageError(
      `“${folder}” contains files from another program. Use --data with an empty folder or an existing data folder.`,
    );
  }
  await writeFile(join(folder, MARK), 'This folder belongs to the local service of Docs Agent Jobs.\n', {
    mode: PRIVATE_FILE,
  });
}

/**
 * Returns the key of a service that was started manually: reads it from its file (mode 0600), or creates it there. Call
 * it while holding the database, so that no other service creates one. Throws when the file contains something else, so
 * that no file of the user's is overwritten.
 */
export async function readOrCreateKey(file: string): Promise<string> {
  if (!existsSync(file)) {
    await replaceFile(file, `${LOCAL_KEY_PREFIX}${randomBytes(32).toString('hex')}\n`);
  }
  keepPrivate(file);
  const key = (await readFile(file, 'utf8')).trim();
  if (!LOCAL_KEY.test(key)) {
    throw new Error(`“${file}” doesn’t contain a key. Remove the file, and a new key is created at the next start.`);
  }
  return key;
}
