import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { joinBytes } from '../../base/files';
import { moveUnlocked } from './restrictedFolders';

/*
 * `npx NAME` runs the program that the nearest package.json defines under that name, from its own folder or one of its
 * workspaces, without asking a registry. An agent and the servers that the user has added start in the job's folder.
 * Agents and package managers need the rest of that file, so only these fields are renamed while an agent runs. With
 * `devEngines`, a version manager (mise) can take `node` from a path in the repository.
 */

const FIELDS = ['bin', 'devEngines', 'directories', 'workspaces'];
const FIELD = new RegExp(`"(${FIELDS.join('|')})"(?=\\s*:)`, 'g');
/** No file contains it otherwise. So it can be removed from any file that the agent has moved, copied, or quoted. */
const PREFIX = '//docs-agent:';
const RENAMED = new RegExp(`${PREFIX}(${FIELDS.join('|')})\\b`, 'g');
const PACKAGE_FILE = /^package\.json$/i;
/** A larger file is not a genuine package.json. */
const MAX_BYTES = 1024 * 1024;
const MAX_RESTORED_BYTES = 64 * MAX_BYTES;
/** Marker file in the job's own folder: the fields were renamed for an agent, in this turn or an earlier one. */
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
  const renamed = text.replace(FIELD, `"${PREFIX}$1"`);
  if (areProgramsIn(renamed)) {
    return false;
  }
  await writeFile(markOf(work), '');
  await replace(work, file, renamed);
  return true;
}

/** Restores the names of the fields at the root, even if the agent has changed the file. */
export async function restorePackageFields(work: string): Promise<void> {
  if ((await lstat(work).catch(() => undefined))?.isDirectory() === true) {
    // The agent may have added one with another case.
    await restoreFieldsIn(work, await packageNames(work));
  }
}

/**
 * Restores the names of the fields in those of the files that contain them: the agent may have moved or copied the
 * package.json, or quoted it on a page.
 *
 * @param paths relative to the work folder, with one character per byte
 * @returns whether there were any
 */
export async function restoreFieldsIn(work: string, paths: readonly string[]): Promise<boolean> {
  let areRestored = false;
  if ((await lstat(markOf(work)).catch(() => undefined)) !== undefined) {
    for (const path of paths) {
      const file = joinBytes(work, Buffer.from(path, 'latin1'));
      const text = await textOf(file, MAX_RESTORED_BYTES);
      if (text !== undefined && text.search(RENAMED) !== -1) {
        await replace(work, file, text.replace(RENAMED, '$1'));
        areRestored = true;
      }
    }
  }
  return areRestored;
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
async function replace(work: string, file: Buffer | string, text: string): Promise<void> {
  const { mode } = await lstat(file);
  const next = join(dirname(work), 'package.json.new');
  await writeFile(next, text, { encoding: 'latin1', mode });
  await moveUnlocked(Buffer.from(next), Buffer.from(file));
}
