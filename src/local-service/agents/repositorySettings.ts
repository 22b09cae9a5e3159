import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { makeWritable, move } from '../../base/files';
import { leadsOut } from '../git/leadsOut';
import { joinBytes } from '../text';
import { isPlainProse, isPlainWorkspace } from './harmlessText';
import { namesPrograms } from './packagePrograms';

/*
 * Paths on the disk are bytes here: a name that is not UTF-8 has no text that leads back to it. What a name means is told
 * by its text.
 */

/**
 * Folders of settings, wherever they stand, and files, as paths from the folder that they stand in. Some are settings of
 * the package managers by which agents start the servers that the user has added: they name another registry or shell.
 */
const FOLDERS =
  /(^|\/)(\.(claude|claude-plugin|opencode|gemini|codex|cursor|copilot|goose|agents|qwen|kiro|amazonq|factory|vibe|augment|crush|junie|kilocode|roo|continue|iflow|qoder|openhands|mise)|\.config\/mise|\.github\/(copilot|hooks|extensions|agents|skills))\//iu;
const FILES =
  /(^|\/)(\.mcp\.json|opencode\.jsonc?|\.lsp\.json|\.aider\.[^/]+\.ya?ml|bunfig\.toml|\.npmrc|\.yarnrc(\.yml)?|\.?pnpmfile\.[cm]?js|\.pnp\.([cm]?js|loader\.mjs)|\.?crush\.json|\.envrc|\.tool-versions|\.?mise(\.[^/]+)?\.toml|\.config\/mise(\.[^/]+)?\.toml|\.env(\.(local|development|production|test))*|\.vscode\/mcp\.json|\.github\/(lsp|mcp)\.json)$/iu;

/** Files that programs look for from the folder on in which they start: an agent and its servers start in the first. */
const ROOT_FILES =
  /^(package\.json|pnpm-workspace\.ya?ml|deno\.jsonc?|global\.json|nuget\.config|mise\/config(\.[^/]+)?\.toml)$/iu;

/** Folders of other things too. A link of such a name would bring settings under a path that none of the above matches. */
const PARENTS = /(^|\/)\.(github|vscode|config)$/iu;

/** `npx` and the like run a package from here, whatever the registry has, so that what is committed here is as settings. */
const PACKAGES = /(^|\/)node_modules\//iu;

/** What agents read as words, in such a folder too, and the material of skills. */
const PROSE = /\.(md|mdc|mdx|txt)$/iu;
const SKILL_MATERIAL = /(^|\/)\.[^/]+\/skills(\/[^./][^/]*)+(?<!\.(json|toml|ya?ml))$/iu;

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
  const isFile = FILES.test(path) || ROOT_FILES.test(path);
  return isFile || FOLDERS.test(`${path}/`) || PARENTS.test(path) || PACKAGES.test(`${path}/`);
}

/**
 * The settings of coding agents in a folder, as paths from it, sorted: hooks, servers, rights and addresses, which would
 * run programs or send a key elsewhere. Prose for agents, such as AGENTS.md and rules, is none. Links are not followed.
 * Folders of packages are among them where git tracks them: others were installed by whoever may run commands.
 *
 * @param trackedFolders asked only where there is a folder of packages
 */
export async function findAgentSettings(work: string, trackedFolders: TrackedFolders = none): Promise<string[]> {
  return (await findAll(work, trackedFolders)).settings.map(String).toSorted();
}

const none: TrackedFolders = () => Promise.resolve([]);

/** What an agent does without, as paths from the work folder. */
interface Found {
  settings: Buffer[];
  /** Links elsewhere that lead out of the work folder. */
  links: Buffer[];
  /** Folders of packages, which are not looked into. */
  packages: Buffer[];
}

async function findAll(work: string, trackedFolders: TrackedFolders): Promise<Found> {
  const found = await foundIn(work, '');
  if (found.packages.length > 0) {
    const tracked = new Set((await trackedFolders()).filter((path) => PACKAGES.test(`${path}/`)).map(comparable));
    found.packages
      .filter((path) => tracked.has(comparable(path.toString())))
      .forEach((path) => found.settings.push(path));
  }
  return found;
}

/** A file system may take names for the same that differ in case or in how a character is written. */
function comparable(path: string): string {
  return path.normalize('NFKC').toLowerCase();
}

/** @param folder as a path from the work folder */
async function foundIn(work: string, folder: string | Buffer): Promise<Found> {
  const found: Found = { settings: [], links: [], packages: [] };
  for (const entry of await list(folder.length === 0 ? Buffer.from(work) : joinBytes(work, folder))) {
    const path = folder.length === 0 ? entry.name : joinBytes(folder, entry.name);
    if (!entry.isDirectory()) {
      const isSettings = entry.isFile() ? await isSettingsFile(work, path) : isPlaceOfAgentSettings(path.toString());
      if (isSettings) {
        found.settings.push(path);
      } else if (entry.isSymbolicLink() && (await leadsOut(work, path))) {
        found.links.push(path);
      }
    } else if (!SKIPPED.test(path.toString()) || FOLDERS.test(folder.toString())) {
      const inside = await foundIn(work, path).catch((error: unknown): Found => {
        // What is in it goes with the folder.
        return { settings: whereNotListed(path, error), links: [], packages: [] };
      });
      inside.settings.forEach((each) => found.settings.push(each));
      inside.links.forEach((each) => found.links.push(each));
      inside.packages.forEach((each) => found.packages.push(each));
    } else if (PACKAGES.test(`${path.toString()}/`)) {
      found.packages.push(path);
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
  if (ROOT_FILES.test(text)) {
    const file = joinBytes(work, path);
    const isPackage = /^package\.json$/i.test(text);
    return isPackage ? namesPrograms(file) : !(/^pnpm-/i.test(text) && (await isPlainWorkspace(file)));
  }
  if (!FOLDERS.test(text)) {
    return FILES.test(text);
  }
  return PROSE.test(text)
    ? !(await isPlainProse(joinBytes(work, path)))
    : FILES.test(text) || !SKILL_MATERIAL.test(text);
}

/**
 * Takes the settings of coding agents out of the work folder, so that no agent loads them, and links that lead out of it,
 * so that no agent reads another file for one of the repository.
 *
 * @param aside a folder of the service's own, on the same disk
 * @param trackedFolders see `findAgentSettings`
 * @returns their paths
 */
export async function withholdAgentSettings(
  work: string,
  aside: string,
  trackedFolders: TrackedFolders,
): Promise<{ settings: string[]; links: string[] }> {
  const { settings, links } = await findAll(work, trackedFolders);
  for (const path of [...settings, ...links]) {
    const kept = joinBytes(aside, path);
    await mkdir(kept.subarray(0, kept.lastIndexOf('/')), { recursive: true });
    await move(joinBytes(work, path), kept);
  }
  return { settings: settings.map(String).toSorted(), links: links.map(String).toSorted() };
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
