import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { move } from '../../shared/util/durability';

/** Folders of settings, wherever they stand, and files, as paths from the folder that they stand in. */
const FOLDERS =
  /(^|\/)(\.(claude|claude-plugin|opencode|gemini|codex|cursor|copilot|goose|agents)|\.github\/(copilot|hooks|extensions|agents))\//i;
const FILES =
  /(^|\/)(\.mcp\.json|opencode\.jsonc?|\.lsp\.json|\.aider\.[^/]+\.ya?ml|bunfig\.toml|\.env(\.(local|development|production|test))*|\.vscode\/mcp\.json|\.github\/(lsp|mcp)\.json)$/i;

/** What agents read as words, in such a folder too, and the material of skills. */
const PROSE = /\.(md|mdc|mdx|txt)$/i;
const SKILL_MATERIAL = /\/skills\/.+(?<!\.(json|toml|ya?ml))$/i;

/** What makes a header more than words: it names programs to run or gives rights. */
const POWERS =
  /^\s*["']?(hooks|mcp[-_]?servers?|mcp|permissions?|permission[-_]?mode|allowed[-_]?tools|tools|env)["']?\s*:/im;
const MAX_HEADER = 64 * 1024;

/** Folders that are not looked into: no agent takes settings from there. */
const SKIPPED = ['.git', 'node_modules'];

/** How many are named in a note. */
const MAX_NAMED = 10;

/**
 * Whether a path of a repository is one of settings of a coding agent: hooks, servers, rights and addresses, which would
 * run programs or send a key elsewhere. Prose for agents, such as AGENTS.md and rules, is none.
 *
 * @param path from the root of the repository, with `/`
 */
export function isAgentSettings(path: string): boolean {
  return FILES.test(path) || (FOLDERS.test(path) && !PROSE.test(path) && !SKILL_MATERIAL.test(path));
}

/** The settings of coding agents in a folder, as paths from it, sorted. Links are not followed. */
export async function findAgentSettings(work: string): Promise<string[]> {
  const found: string[] = [];
  const look = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(work, folder), { withFileTypes: true }).catch(() => [])) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.includes(entry.name.toLowerCase())) {
          await look(path);
        }
      } else if (isAgentSettings(path) || isSettingsFolder(path) || (await hasPowers(work, path))) {
        found.push(path);
      }
    }
  };
  await look('');
  return found.toSorted();
}

/** Of what is no folder itself: a link in the place of one. */
function isSettingsFolder(path: string): boolean {
  return FOLDERS.test(`${path}/`) && !FOLDERS.test(path);
}

/** Prose of an agent with a header that names programs or rights. */
async function hasPowers(work: string, path: string): Promise<boolean> {
  if (!FOLDERS.test(path) || !PROSE.test(path)) {
    return false;
  }
  const file = await open(join(work, path)).catch(() => undefined);
  try {
    const { buffer, bytesRead } = (await file?.read(Buffer.alloc(MAX_HEADER), 0, MAX_HEADER, 0)) ?? {};
    const text = buffer?.toString('utf8', 0, bytesRead) ?? '';
    const header = /^\uFEFF?---\r?\n([^]*?)(?:\r?\n---|$)/.exec(text)?.[1] ?? '';
    return POWERS.test(header) || header.length > MAX_HEADER / 2;
  } finally {
    await file?.close();
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
