import { constants, type Dirent } from 'node:fs';
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { move } from '../../shared/util/durability';
import { makeWritable } from '../../shared/util/fileModes';
import { joinBytes } from '../text';

/*
 * Paths on the disk are bytes here: a name that is not UTF-8 has no text that leads back to it. What a name means is told
 * by its text.
 */

/**
 * Folders of settings, wherever they stand, and files, as paths from the folder that they stand in. Some are settings of
 * the package managers by which agents start the servers that the user has added: they name another registry or shell.
 */
const FOLDERS =
  /(^|\/)(\.(claude|claude-plugin|opencode|gemini|codex|cursor|copilot|goose|agents)|\.github\/(copilot|hooks|extensions|agents|skills))\//iu;
const FILES =
  /(^|\/)(\.mcp\.json|opencode\.jsonc?|\.lsp\.json|\.aider\.[^/]+\.ya?ml|bunfig\.toml|\.npmrc|\.yarnrc(\.yml)?|\.?pnpmfile\.[cm]?js|\.pnp\.([cm]?js|loader\.mjs)|\.env(\.(local|development|production|test))*|\.vscode\/mcp\.json|\.github\/(lsp|mcp)\.json)$/iu;

/** Folders of other things too. A link of such a name would bring settings under a path that none of the above matches. */
const PARENTS = /(^|\/)\.(github|vscode)$/iu;

/** `npx` and the like run a package from here, whatever the registry has, so that what is committed here is as settings. */
const PACKAGES = /(^|\/)node_modules\//iu;

/** What agents read as words, in such a folder too, and the material of skills. */
const PROSE = /\.(md|mdc|mdx|txt)$/iu;
const SKILL_MATERIAL = /(^|\/)\.[^/]+\/skills(\/[^./][^/]*)+(?<!\.(json|toml|ya?ml))$/iu;

/**
 * Prose without a header. Agents differ in what they skip before a header and in how they read it: some run a header of
 * JavaScript. So whatever looks like the start of one is taken for a header.
 */
const NO_HEADER = /^[\s\p{C}]{0,999}(?:(?!---|\+\+\+|= yaml =)[^\s\p{C}]|$)/u;

/**
 * The only header that is harmless for certain: a name and a description, each on a line, as plain or quoted text. It has
 * a line at least and one kind of line ends, so that every agent sees its end in the same place.
 */
const PLAIN_HEADER =
  /^\uFEFF?---(\r?\n)(?:(?:name|description): +(?:[\p{L}\p{N}](?:(?![\\{}])[\p{L}\p{M}\p{N}\p{P}\p{S} ])*|"(?:(?![\\"])[\p{L}\p{M}\p{N}\p{P}\p{S} ])*" *|'(?:(?!')[\p{L}\p{M}\p{N}\p{P}\p{S} ])*' *)\1)+---(?:\1|$)/u;
const MAX_HEADER = 64 * 1024;

/** Never through a link, and no waiting for whoever writes to a pipe. Windows knows neither, where they are undefined. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Folders that are not looked into, except deep in a folder of settings: no agent takes its own settings from there. */
const SKIPPED = /(^|\/)(\.git|node_modules)$/iu;

/** A folder below a longer path is not withheld by itself but with those above it, in bytes: the system would not move it. */
const MAX_PATH = 1000;

/** How many are named in a note. */
const MAX_NAMED = 10;

/** Tells the folders that git tracks, as paths from the work folder with `/`. */
export type TrackedFolders = () => Promise<readonly string[]>;

/**
 * Whether a path is, holds or lies among settings of coding agents, or packages. An agent may not write there: prose
 * there can have a header that gives rights, and a folder can be moved into the place of one of settings.
 *
 * @param path from the root of the repository, with `/`
 */
export function isPlaceOfAgentSettings(path: string): boolean {
  return FILES.test(path) || FOLDERS.test(`${path}/`) || PARENTS.test(path) || PACKAGES.test(`${path}/`);
}

/**
 * The settings of coding agents in a folder, as paths from it, sorted: hooks, servers, rights and addresses, which would
 * run programs or send a key elsewhere. Prose for agents, such as AGENTS.md and rules, is none. Links are not followed.
 * Folders of packages are among them where git tracks them: others were installed by whoever may run commands.
 *
 * @param trackedFolders asked only where there is a folder of packages
 */
export async function findAgentSettings(work: string, trackedFolders: TrackedFolders = none): Promise<string[]> {
  return (await allSettingsIn(work, trackedFolders)).map(String).toSorted();
}

const none: TrackedFolders = () => Promise.resolve([]);

async function allSettingsIn(work: string, trackedFolders: TrackedFolders): Promise<Buffer[]> {
  const packages: Buffer[] = [];
  const found = await settingsIn(work, '', packages);
  if (packages.length > 0) {
    const tracked = new Set((await trackedFolders()).filter((path) => PACKAGES.test(`${path}/`)).map(comparable));
    packages.filter((path) => tracked.has(comparable(path.toString()))).forEach((path) => found.push(path));
  }
  return found;
}

/** A file system may take names for the same that differ in case or in how a character is written. */
function comparable(path: string): string {
  return path.normalize('NFKC').toLowerCase();
}

/**
 * @param folder as a path from the work folder
 * @param packages gets the folders of packages, which are not looked into
 */
async function settingsIn(work: string, folder: string | Buffer, packages: Buffer[]): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (const entry of await list(folder.length === 0 ? Buffer.from(work) : joinBytes(work, folder))) {
    const path = folder.length === 0 ? entry.name : joinBytes(folder, entry.name);
    if (!entry.isDirectory()) {
      const isSettings = entry.isFile() ? await isSettingsFile(work, path) : isPlaceOfAgentSettings(path.toString());
      found.push(...(isSettings ? [path] : []));
    } else if (!SKIPPED.test(path.toString()) || FOLDERS.test(folder.toString())) {
      const before = packages.length;
      const inside = await settingsIn(work, path, packages).catch((error: unknown) => {
        // They go with the folder.
        packages.length = before;
        return whereNotListed(path, error);
      });
      inside.forEach((each) => found.push(each));
    } else if (PACKAGES.test(`${path.toString()}/`)) {
      packages.push(path);
    }
  }
  return found;
}

/** What a folder holds; nothing where it is gone or is none. Rights that a program has taken from it are given back. */
async function list(folder: Buffer): Promise<Dirent<Buffer>[]> {
  const read = () => readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  try {
    return await read();
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT':
      case 'ENOTDIR':
        return [];
      case 'EACCES':
        await makeWritable(folder);
        return read();
      default:
        throw error;
    }
  }
}

/** What counts as settings of a folder in which nobody can look. */
function whereNotListed(path: Buffer, error: unknown): Buffer[] {
  switch (codeOf(error)) {
    case 'ENAMETOOLONG':
      // An agent that goes there step by step can.
      if (path.length > MAX_PATH) {
        throw error;
      }
      return [path];
    case 'EACCES':
    case 'EPERM':
      // It is another user’s. The agent can’t look in it, either, but may open what it knows by name.
      return isPlaceOfAgentSettings(path.toString()) ? [path] : [];
    default:
      throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

async function isSettingsFile(work: string, path: Buffer): Promise<boolean> {
  const text = path.toString();
  if (!FOLDERS.test(text)) {
    return FILES.test(text);
  }
  return PROSE.test(text)
    ? !(await isPlainProse(joinBytes(work, path)))
    : FILES.test(text) || !SKILL_MATERIAL.test(text);
}

/** Prose that says nothing in a header but its name and description. What cannot be read is not. */
async function isPlainProse(path: Buffer): Promise<boolean> {
  try {
    const file = await open(path, OPEN_FLAGS);
    try {
      if (!(await file.stat()).isFile()) {
        return false;
      }
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER), 0, MAX_HEADER, 0);
      // Throws on what is no UTF-8: an agent may know its encoding. A character that is cut off at the end is none.
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      const text = decoder.decode(buffer.subarray(0, bytesRead), { stream: true });
      return NO_HEADER.test(text) || PLAIN_HEADER.test(text);
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/**
 * Takes the settings of coding agents out of the work folder, so that no agent loads them.
 *
 * @param aside a folder of the service's own, on the same disk
 * @param trackedFolders see `findAgentSettings`
 * @returns their paths
 */
export async function withholdAgentSettings(
  work: string,
  aside: string,
  trackedFolders: TrackedFolders,
): Promise<string[]> {
  const found = await allSettingsIn(work, trackedFolders);
  for (const path of found) {
    const kept = joinBytes(aside, path);
    await mkdir(kept.subarray(0, kept.lastIndexOf('/')), { recursive: true });
    await move(joinBytes(work, path), kept);
  }
  return found.map(String).toSorted();
}

/**
 * Puts them back. What stands in a place by now stays, and so does a folder or link that the agent put in the way: what
 * was there is dropped, which shows in the diff.
 */
export async function giveBackAgentSettings(work: string, aside: string): Promise<void> {
  const giveBack = async (from: Buffer, to: Buffer): Promise<void> => {
    for (const entry of await list(from)) {
      const [kept, place] = [joinBytes(from, entry.name), joinBytes(to, entry.name)];
      const standing = await kindOf(place);
      if (standing === undefined) {
        await move(kept, place);
      } else if (standing === 'folder' && entry.isDirectory()) {
        await giveBack(kept, place);
      }
    }
  };
  // Never through a link: it would lead where the agent wants it.
  if ((await kindOf(work)) === 'folder') {
    await giveBack(Buffer.from(aside), Buffer.from(work));
  }
  await rm(aside, { recursive: true, force: true, maxRetries: 3 });
}

async function kindOf(path: string | Buffer): Promise<'folder' | 'other' | undefined> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** The first of them by name. */
export function namesOf(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  return `${paths.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` (+ ${more})` : ''}`;
}
