import { readFile, readdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { serviceStateSchema } from '../shared/protocol/localService';
import { decodeJson } from '../shared/util/decodeJson';
import { PRIVATE_FILE, makePrivateFolder } from '../shared/util/fileModes';
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
