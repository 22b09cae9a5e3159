import { mkdir } from 'node:fs/promises';
import { createYielder } from '../../base/async';
import { isEscapingLink } from '../git/stageWork';
import { removeAll } from '../removeFolder';
import { joinBytes } from '../../base/files';
import { isPlainProse, isPlainVersion, isPlainWorkspace, isWithout } from './harmlessText';
import { KNOWN_AGENTS } from './knownAgents';
import { namesPrograms } from './packagePrograms';
import { kindOf, listFolder, moveUnlocked } from './restrictedFolders';

/*
 * Paths on disk are bytes here, because a name that is not UTF-8 cannot be restored from text. Names are matched as
 * text.
 */

/**
 * Folders of settings, at any depth, and files of settings, as paths relative to the folder that they are in. Some are
 * settings of the package managers with which agents start the servers that the user has added: they can name another
 * registry or shell.
 */
const OTHER_FOLDERS =
  'claude-plugin|agents|qwen|kiro|amazonq|factory|vibe|augment|crush|junie|kilocode|roo|continue|iflow|qoder|openhands|mise|volta';
const AGENTS = KNOWN_AGENTS.map(({ name }) => name).join('|');
const FOLDERS = new RegExp(
  `(^|/)(\\.(${AGENTS}|${OTHER_FOLDERS})|\\.config/mise|\\.github/(copilot|hooks|extensions|agents|skills))/`,
  'iu',
);
const FILES =
  /(^|\/)(\.mcp\.json|opencode\.jsonc?|\.lsp\.json|\.aider\.[^/]+\.ya?ml|bunfig\.toml|\.npmrc|\.yarnrc(\.yml)?|\.?pnpmfile\.[cm]?js|\.pnp\.([cm]?js|loader\.mjs)|\.?crush\.json|\.envrc|\.corepack\.env|\.rbenv-vars|jbang-catalog\.json|\.tool-versions|\.prototools(\.[^/]+)?|(\.config\/)?\.?mise(rc)?(\.[^/]+)?\.toml|\.env(\.(local|development|production|test))*|\.vscode\/mcp\.json|\.github\/(lsp|mcp)\.json)$/iu;

/** Files that programs look up from the folder in which they start, which is the root for an agent and its servers. */
const ROOT_FILES =
  /^(package\.json|pnpm-workspace\.ya?ml|deno\.jsonc?|global\.json|nuget\.config|mise\/(config(\.[^/]+)?|conf\.d\/[^/]+)\.toml)$/iu;

/** Versions for a version manager, which may also take a path to a program of the repository. */
const VERSION_FILES = /(^|\/)\.(nvmrc|yvmrc|(?!tool-)[a-z]+-versions?)$/iu;

/** Files that are settings only if they contain the given text: servers for an agent, and a path to programs. */
const SETTINGS_IF: readonly (readonly [file: RegExp, text: RegExp])[] = [
  [/(^|\/)(\.devcontainer\/([^/]+\/)?|\.)devcontainer\.json$/iu, /mcp|\\u/i],
  [/(^|\/)rust-toolchain(\.toml)?$/iu, /path|[/\\]/i],
];

/**
 * Folders that also hold other things. A link with such a name would bring in settings at a path that nothing above
 * matches.
 */
const PARENTS = /(^|\/)\.(github|vscode|config|devcontainer)$|^mise(\/conf\.d)?$/iu;

/** `npx` and similar tools prefer packages from here to the registry's, so committed packages count as settings. */
const PACKAGES = /(^|\/)node_modules\//iu;

/** Files that agents read as prose, in such a folder too, and the material of skills. */
const PROSE = /\.(md|mdc|mdx|txt)$/iu;
const SKILL_MATERIAL = /(^|\/)\.[^/]+\/skills(\/[^./][^/]*)+(?<!\.(json|toml|ya?ml))$/iu;

/** Folders that are not searched, except deep in a folder of settings: no agent loads its own settings from there. */
const SKIPPED = /(^|\/)(\.git|node_modules)$/iu;

/**
 * Longest path of a folder that is withheld separately, in bytes. The system could not move a longer one, so it is
 * withheld along with the folders above it.
 */
const MAX_PATH = 1000;

/** How many paths a note names. */
const MAX_NAMED = 10;

/** Returns the folders that git tracks, as paths relative to the work folder, with `/`. */
export type TrackedFolders = () => Promise<readonly string[]>;

/**
 * Whether a path is, contains or is inside settings of coding agents, or packages. An agent must not write there: prose
 * there can have a header that grants permissions, and a folder can be moved into the place of a settings folder.
 *
 * @param path relative to the root of the repository, with `/`
 */
export function isAgentSettingsPath(path: string): boolean {
  return namesFor(path).some((name) => {
    const isFile =
      FILES.test(name) ||
      ROOT_FILES.test(name) ||
      VERSION_FILES.test(name) ||
      SETTINGS_IF.some(([file]) => file.test(name));
    return isFile || FOLDERS.test(`${name}/`) || PARENTS.test(name) || PACKAGES.test(`${name}/`);
  });
}

/** A path as it is, and as a file system may treat it. It counts as settings if either does. */
function namesFor(path: string): string[] {
  return [...new Set([path, comparable(path)])];
}

/**
 * Finds the settings of coding agents in a folder: hooks, servers, permissions and addresses, which could run programs
 * or send a key elsewhere. Prose for agents, such as AGENTS.md and rules, does not count. Links are not followed.
 * Folders of packages count if git tracks them: others were installed by someone who may run commands.
 *
 * @param trackedFolders called only if there is a folder of packages
 * @returns paths relative to the folder, sorted
 */
export async function findAgentSettings(work: string, trackedFolders: TrackedFolders = none): Promise<string[]> {
  return (await findAll(work, trackedFolders)).settings.map(String).toSorted();
}

const none: TrackedFolders = () => Promise.resolve([]);

/** What is withheld from an agent, as paths relative to the work folder. */
interface Found {
  settings: Buffer[];
  /** Other links that point outside the work folder. */
  links: Buffer[];
  /** Folders of packages, which are not searched. */
  packages: Buffer[];
  /** Folders that are too deep to be searched. */
  deep: Buffer[];
}

async function findAll(work: string, trackedFolders: TrackedFolders): Promise<Found> {
  const found = await foundIn(work, '', createYielder());
  if (found.packages.length > 0) {
    const tracked = new Set((await trackedFolders()).filter((path) => PACKAGES.test(`${path}/`)).map(comparable));
    found.packages
      .filter((path) => tracked.has(comparable(path.toString())))
      .forEach((path) => found.settings.push(path));
  }
  return found;
}

/** A file system may treat names as equal that differ in case, ligatures, Unicode normalization or invisible characters. */
function comparable(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase();
}

/**
 * @param folder as a path relative to the work folder
 * @param pause lets the service answer other requests: a folder may have many thousands of files
 */
async function foundIn(work: string, folder: string | Buffer, pause: () => Promise<void>): Promise<Found> {
  const found: Found = { settings: [], links: [], packages: [], deep: [] };
  for (const entry of await listFolder(folder.length === 0 ? Buffer.from(work) : joinBytes(work, folder))) {
    await pause();
    const path = folder.length === 0 ? entry.name : joinBytes(folder, entry.name);
    if (!entry.isDirectory()) {
      const isSettings = entry.isFile() ? await isSettingsFile(work, path) : isAgentSettingsPath(path.toString());
      if (isSettings) {
        found.settings.push(path);
      } else if (entry.isSymbolicLink() && (await isEscapingLink(work, path))) {
        found.links.push(path);
      }
    } else if (!SKIPPED.test(path.toString()) || namesFor(folder.toString()).some((name) => FOLDERS.test(name))) {
      const inside = await foundIn(work, path, pause).catch((error: unknown): Found => {
        // Its contents are withheld with the folder.
        return { links: [], packages: [], ...whereNotListed(path, error) };
      });
      inside.settings.forEach((each) => found.settings.push(each));
      inside.links.forEach((each) => found.links.push(each));
      inside.packages.forEach((each) => found.packages.push(each));
      inside.deep.forEach((each) => found.deep.push(each));
    } else if (PACKAGES.test(`${path.toString()}/`)) {
      found.packages.push(path);
    }
  }
  return found;
}

/** What may be settings if a folder cannot be listed. */
function whereNotListed(path: Buffer, error: unknown): Pick<Found, 'settings' | 'deep'> {
  switch (codeOf(error)) {
    case 'ENAMETOOLONG':
      // An agent can still get there step by step.
      if (path.length > MAX_PATH) {
        throw error;
      }
      return { settings: [], deep: [path] };
    case 'EACCES':
    case 'EPERM':
      // It belongs to another user. The agent cannot list it either, but may open files whose names it knows.
      return { settings: isAgentSettingsPath(path.toString()) ? [path] : [], deep: [] };
    default:
      throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

async function isSettingsFile(work: string, path: Buffer): Promise<boolean> {
  const are = await Promise.all(namesFor(path.toString()).map((name) => isSettingsNamed(name, work, path)));
  return are.includes(true);
}

async function isSettingsNamed(text: string, work: string, path: Buffer): Promise<boolean> {
  if (ROOT_FILES.test(text)) {
    const file = joinBytes(work, path);
    const isPackage = /^package\.json$/i.test(text);
    return isPackage ? namesPrograms(file) : !(/^pnpm-/i.test(text) && (await isPlainWorkspace(file)));
  }
  if (VERSION_FILES.test(text)) {
    return !(await isPlainVersion(joinBytes(work, path)));
  }
  const condition = SETTINGS_IF.find(([file]) => file.test(text))?.[1];
  if (condition !== undefined) {
    return !(await isWithout(joinBytes(work, path), condition));
  }
  if (!FOLDERS.test(text)) {
    return FILES.test(text);
  }
  return PROSE.test(text)
    ? !(await isPlainProse(joinBytes(work, path)))
    : FILES.test(text) || !SKILL_MATERIAL.test(text);
}

/**
 * Moves the settings of coding agents out of the work folder, so that no agent loads them, and also links that point
 * outside it, so that no agent reads another file as if it were one of the repository.
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
  const { links, deep, ...found } = await findAll(work, trackedFolders);
  const settings = [...found.settings, ...deep];
  for (const path of [...settings, ...links]) {
    const kept = joinBytes(aside, path);
    await mkdir(kept.subarray(0, kept.lastIndexOf('/')), { recursive: true });
    await moveUnlocked(joinBytes(work, path), kept);
  }
  return { settings: settings.map(String).toSorted(), links: links.map(String).toSorted() };
}

/**
 * Moves them back. What exists at a path by now is kept, and so is a folder or link that the agent put in the way. What
 * was there before is then discarded, which shows in the diff.
 */
export async function restoreAgentSettings(work: string, aside: string): Promise<void> {
  const giveBack = async (from: Buffer, to: Buffer): Promise<void> => {
    for (const entry of await listFolder(from)) {
      const [kept, place] = [joinBytes(from, entry.name), joinBytes(to, entry.name)];
      const standing = await kindOf(place);
      if (standing === undefined) {
        await moveUnlocked(kept, place);
      } else if (standing === 'folder' && entry.isDirectory()) {
        await giveBack(kept, place);
      }
    }
  };
  // Never through a link: the agent could choose where it leads.
  if ((await kindOf(Buffer.from(work))) === 'folder') {
    await giveBack(Buffer.from(aside), Buffer.from(work));
  }
  await removeAll(aside);
}

/** The first paths by name, and how many more there are. */
export function namesOf(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMED;
  return `${paths.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` (+ ${more})` : ''}`;
}
