import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { keepPrivate, makePrivateFolder, PRIVATE_FILE } from '../base/files';
import { decodeJson } from '../base/json';
import { LOCAL_KEY, LOCAL_KEY_PREFIX } from '../protocol/localKey';
import { serviceStateSchema } from '../protocol/localService';
import { UsageError } from './commandLine';

/** The folder for what this service keeps when none is named: where this system has the data of a user's programs. */
export function userDataFolder(
  environment: NodeJS.ProcessEnv,
  home = homedir(),
  platform: NodeJS.Platform = process.platform,
): string {
  const paths = platform === 'win32' ? win32 : posix;
  // XDG Base Directory Specification: a value that is no absolute path counts as none.
  const set = (name: string): string | undefined =>
    paths.isAbsolute(environment[name] ?? '') ? environment[name] : undefined;
  switch (platform) {
    case 'win32':
      return win32.join(set('LOCALAPPDATA') ?? win32.join(home, 'AppData', 'Local'), 'docs-agent');
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support', 'docs-agent');
    default:
      return posix.join(set('XDG_DATA_HOME') ?? posix.join(home, '.local', 'share'), 'docs-agent');
  }
}

/** Marks a folder as one that belongs to this service. */
const MARK = 'docs-agent-data';
const DATABASE = 'service.db';
const STATE = 'state.json';

/** What the editor, or a start that was cut off, may have left before there is a mark. */
const BEFORE_FIRST_START = /^(service\.log(\.1)?|stopped|key(\.\d+\.new)?)$/;

/**
 * Makes the folder one of this service's, which keeps its files in it and removes old ones. Throws UsageError for a folder
 * that holds something else.
 */
export async function claimDataFolder(folder: string): Promise<void> {
  await makePrivateFolder(folder);
  const names = await readdir(folder);
  if (names.includes(MARK)) {
    return;
  }
  const isNew = names.every((name) => BEFORE_FIRST_START.test(name));
  if (!isNew && !names.includes(DATABASE) && !(await isState(join(folder, STATE)))) {
    throw new UsageError(
      `“${folder}” holds files that are not this service’s. Name an empty folder with --data, or one that it has used before.`,
    );
  }
  await writeFile(join(folder, MARK), 'This folder belongs to the local service of Docs Agent Jobs.\n', {
    mode: PRIVATE_FILE,
  });
}

/** Versions without a mark had a state file. */
async function isState(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return serviceStateSchema.safeParse(decodeJson(text)).success;
}

/**
 * The key of a service that was started by hand: read from its file (mode 0600), or made and kept there. Throws when the
 * file holds something else, so that nothing of the user's is written over.
 */
export async function ownKey(file: string): Promise<string> {
  await makeIfMissing(file);
  keepPrivate(file);
  const key = (await readFile(file, 'utf8')).trim();
  if (!LOCAL_KEY.test(key)) {
    throw new Error(`“${file}” does not hold a key. Remove it; a new one is made at the next start.`);
  }
  return key;
}

/** The file comes into being with the whole key in it, and never over one that is there. */
async function makeIfMissing(file: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.new`;
  await writeFile(unfinished, `${LOCAL_KEY_PREFIX}${randomBytes(32).toString('hex')}\n`, { mode: PRIVATE_FILE });
  try {
    await link(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  } finally {
    await rm(unfinished, { force: true });
  }
}
