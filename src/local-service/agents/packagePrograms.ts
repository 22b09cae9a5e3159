import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { move } from '../../base/files';

/*
 * `npx NAME` runs the program that the nearest package.json defines under that name, from its own folder or one of its
 * workspaces, without asking a registry. An agent and the servers that the user has added start in the job's folder.
 * Agents and package managers need the rest of that file, so only these fields are renamed while an agent runs. With
 * `devEngines`, a version manager (mise) can take `node` from a path in the repository.
 */

const FIELDS = ['bin', 'devEngines', 'directories', 'workspaces'];
const FIELD = new RegExp(`"(${FIELDS.join('|')})"(?=\\s*:)`, 'g');
const RENAMED = new RegExp(`"//(${FIELDS.join('|')})"(?=\\s*:)`, 'g');
const PACKAGE_FILE = /^package\.json$/i;
/** A larger file is not a genuine package.json. */
const MAX_BYTES = 1024 * 1024;
const MAX_RESTORED_BYTES = 64 * MAX_BYTES;
/** Marker file in the job's own folder, present while the fields are renamed. */
const MARK = 'package-fields-renamed';

/** Whether a package.json defines programs of its own. True if it cannot be read for certain. */
export async function namesPrograms(path: Buffer | string): Promise<boolean> {
  const text = await textOf(path);
  return text === undefined || areProgramsIn(text);
}

/**
 * Renames the fields of the package.json in a work folder, unless that could not be undone exactly.
 *
 * @returns whether it did
 */
export async function renamePackageFields(work: string): Promise<boolean> {
  const file = await packageFile(work);
  const text = await textOf(file);
  if (text === undefined || !areProgramsIn(text) || text.search(RENAMED) !== -1) {
    return false;
  }
  const renamed = text.replace(FIELD, '"//$1"');
  if (areProgramsIn(renamed)) {
    return false;
  }
  await writeFile(markOf(work), '');
  await replace(work, file, renamed);
  return true;
}

/** Restores the names of the fields, even if the agent has changed the file. */
export async function restorePackageFields(work: string): Promise<void> {
  const [mark, folder] = await Promise.all([markOf(work), work].map((path) => lstat(path).catch(() => undefined)));
  if (mark === undefined || folder?.isDirectory() !== true) {
    return;
  }
  // The agent may have added one with another case, and may have made the file longer.
  for (const name of await packageNames(work)) {
    const file = join(work, name);
    const text = await textOf(file, MAX_RESTORED_BYTES);
    if (text !== undefined && text.search(RENAMED) !== -1) {
      await replace(work, file, text.replace(RENAMED, '"$1"'));
    }
  }
  await rm(markOf(work), { force: true });
}

function markOf(work: string): string {
  return join(dirname(work), MARK);
}

async function packageNames(work: string): Promise<string[]> {
  return (await readdir(work).catch(() => [])).filter((name) => PACKAGE_FILE.test(name));
}

/** The name may differ in case if the file system ignores case. */
async function packageFile(work: string): Promise<string> {
  const names = await packageNames(work);
  return join(work, names.length === 1 ? String(names[0]) : 'package.json');
}

/**
 * One character per byte, so that it can be written back unchanged. Undefined for a link and for a file that is too
 * large.
 */
async function textOf(path: Buffer | string, maxBytes = MAX_BYTES): Promise<string | undefined> {
  const file = await lstat(path).catch(() => undefined);
  return file?.isFile() === true && file.size <= maxBytes ? readFile(path, 'latin1') : undefined;
}

function areProgramsIn(text: string): boolean {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(text, 'latin1')
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
    return typeof value === 'object' && value !== null && FIELDS.some((field) => field in value);
  } catch {
    // Another program may be able to parse it.
    return true;
  }
}

/** Replaces the file atomically, and never through a link. */
async function replace(work: string, file: string, text: string): Promise<void> {
  const { mode } = await lstat(file);
  const next = join(dirname(work), 'package.json.new');
  await writeFile(next, text, { encoding: 'latin1', mode });
  await move(next, file);
}
