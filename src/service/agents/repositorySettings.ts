import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { move } from '../../shared/util/durability';

/** Folders of settings, wherever they stand, and files, as paths from the folder that they stand in. */
const FOLDERS =
  /(^|\/)(\.(claude|claude-plugin|opencode|gemini|codex|cursor|copilot|goose|agents)|\.github\/(copilot|hooks|extensions|agents|skills))\//iu;
const FILES =
  /(^|\/)(\.mcp\.json|opencode\.jsonc?|\.lsp\.json|\.aider\.[^/]+\.ya?ml|bunfig\.toml|\.env(\.(local|development|production|test))*|\.vscode\/mcp\.json|\.github\/(lsp|mcp)\.json)$/iu;

/** Folders of other things too. A link of such a name would bring settings under a path that none of the above matches. */
const PARENTS = /(^|\/)\.(github|vscode)$/iu;

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

/** Folders that are not looked into, except deep in a folder of settings: no agent takes settings from there. */
const SKIPPED = ['.git', 'node_modules'];

/** How many are named in a note. */
const MAX_NAMED = 10;

/**
 * Whether a path is, holds or lies among settings of coding agents. An agent may not write there: prose there can have a
 * header that gives rights, and a folder can be moved into the place of one of settings.
 *
 * @param path from the root of the repository, with `/`
 */
export function isPlaceOfAgentSettings(path: string): boolean {
  return FILES.test(path) || FOLDERS.test(`${path}/`) || PARENTS.test(path);
}

/**
 * The settings of coding agents in a folder, as paths from it, sorted: hooks, servers, rights and addresses, which would
 * run programs or send a key elsewhere. Prose for agents, such as AGENTS.md and rules, is none. Links are not followed.
 */
export async function findAgentSettings(work: string): Promise<string[]> {
  const found: string[] = [];
  const look = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(work, folder), { withFileTypes: true }).catch(() => [])) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.includes(entry.name.toLowerCase()) || FOLDERS.test(folder)) {
          await look(path);
        }
      } else if (entry.isFile() ? await isSettingsFile(work, path) : isPlaceOfAgentSettings(path)) {
        found.push(path);
      }
    }
  };
  await look('');
  return found.toSorted();
}

async function isSettingsFile(work: string, path: string): Promise<boolean> {
  if (!FOLDERS.test(path)) {
    return FILES.test(path);
  }
  return PROSE.test(path) ? !(await isPlainProse(join(work, path))) : FILES.test(path) || !SKILL_MATERIAL.test(path);
}

/** Prose that says nothing in a header but its name and description. What cannot be read is not. */
async function isPlainProse(path: string): Promise<boolean> {
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
 * @returns their paths
 */
export async function withholdAgentSettings(work: string, aside: string): Promise<string[]> {
  const found = await findAgentSettings(work);
  for (const path of found) {
    await mkdir(dirname(join(aside, path)), { recursive: true });
    await move(join(work, path), join(aside, path));
  }
  return found;
}

/**
 * Puts them back. What stands in a place by now stays, and so does a folder or link that the agent put in the way: what
 * was there is dropped, which shows in the diff.
 */
export async function giveBackAgentSettings(work: string, aside: string): Promise<void> {
  const giveBack = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(aside, folder), { withFileTypes: true }).catch(() => [])) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        // Never through a link: it would lead where the agent wants it.
        if (await isOwnFolder(join(work, path))) {
          await giveBack(path);
        }
      } else if ((await kindOf(join(work, path))) === undefined) {
        await move(join(aside, path), join(work, path));
      }
    }
  };
  await giveBack('');
  await rm(aside, { recursive: true, force: true, maxRetries: 3 });
}

async function isOwnFolder(path: string): Promise<boolean> {
  const kind = await kindOf(path);
  if (kind === undefined) {
    await mkdir(path);
  }
  return kind === undefined || kind === 'folder';
}

async function kindOf(path: string): Promise<'folder' | 'other' | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found === undefined ? undefined : found.isDirectory() ? 'folder' : 'other';
}

/** The first of them by name. */
export function namesOf(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  return `${paths.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` (+ ${more})` : ''}`;
}
