import { mkdir, readdir } from 'node:fs/promises';
import { createYielder } from '../../base/async';
import { isAbsent, joinBytes, lstatIfThere, move } from '../../base/files';
import { isEscapingLink } from '../git/stageWork';
import { removeAll } from '../removeFolder';
import { KNOWN_AGENTS } from './knownAgents';

/*
 * Paths on disk are bytes here, because a name that is not UTF-8 cannot be restored from text. Names are matched as
 * text.
 */

/** The files and folders of all agents, in lower case, without the slash at a folder's end. */
const NAMES = ['.agents/', ...KNOWN_AGENTS.flatMap(({ settings }) => settings)].map((name) =>
  name.toLowerCase().replace(/\/$/, ''),
);

/** Folders that also hold other things, such as `.github`. A link of that name would bring in settings. */
const PARENTS = NAMES.filter((name) => name.includes('/')).map((name) => name.slice(0, name.indexOf('/')));

/** Folders that are not searched. */
const SKIPPED = ['.git', 'node_modules'];

const LISTING = { withFileTypes: true, encoding: 'buffer' } as const;

/**
 * Whether a path is or is inside settings of coding agents, or a folder that may contain them. An agent must not write
 * there, because a folder can also be moved into the place of one.
 *
 * @param path relative to the root of the repository, with `/`
 */
export function isAgentSettingsPath(path: string): boolean {
  return isSettings(path) || endsWithOneOf(path, PARENTS);
}

function isSettings(path: string): boolean {
  return NAMES.some((name) => `/${path}/`.toLowerCase().includes(`/${name}/`));
}

function endsWithOneOf(path: string, names: readonly string[]): boolean {
  return names.some((name) => `/${path}`.toLowerCase().endsWith(`/${name}`));
}

/**
 * Finds the settings of coding agents in a folder, at any depth. They could run programs or send a key elsewhere. Links
 * are not followed.
 *
 * @returns paths relative to the folder, sorted
 */
export async function findAgentSettings(work: string): Promise<string[]> {
  return (await foundIn(work)).settings.map(String).toSorted();
}

/** What is withheld from an agent, as paths relative to the work folder. */
interface Found {
  settings: Buffer[];
  /** Other links that point outside the work folder. */
  links: Buffer[];
}

/** A folder may be gone by now, or belong to another user, as those of a container do. A commit would refuse that. */
function whereNotListed(error: unknown): [] {
  if (isAbsent(error) || ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) {
    return [];
  }
  throw error;
}

/** Searches a folder without blocking the service: it may have many thousands of files. */
async function foundIn(work: string): Promise<Found> {
  const found: Found = { settings: [], links: [] };
  const pause = createYielder();
  const search = async (folder: Buffer | undefined): Promise<void> => {
    const place = folder === undefined ? Buffer.from(work) : joinBytes(work, folder);
    for (const entry of await readdir(place, LISTING).catch(whereNotListed)) {
      await pause();
      const path = folder === undefined ? entry.name : joinBytes(folder, entry.name);
      if (entry.isSymbolicLink() ? isAgentSettingsPath(path.toString()) : isSettings(path.toString())) {
        found.settings.push(path);
      } else if (entry.isSymbolicLink() && (await isEscapingLink(work, path))) {
        found.links.push(path);
      } else if (entry.isDirectory() && !endsWithOneOf(path.toString(), SKIPPED)) {
        await search(path);
      }
    }
  };
  await search(undefined);
  return found;
}

/**
 * Moves the settings of coding agents out of the work folder, so that no agent loads them, and also links that point
 * outside it, so that no agent reads another file as if it were one of the repository.
 *
 * @param aside a folder of the service's own, on the same disk
 * @returns their paths
 */
export async function withholdAgentSettings(
  work: string,
  aside: string,
): Promise<{ settings: string[]; links: string[] }> {
  const { settings, links } = await foundIn(work);
  for (const path of [...settings, ...links]) {
    const kept = joinBytes(aside, path);
    await mkdir(kept.subarray(0, kept.lastIndexOf('/')), { recursive: true });
    await move(joinBytes(work, path), kept);
  }
  return { settings: settings.map(String).toSorted(), links: links.map(String).toSorted() };
}

/**
 * Moves them back. What exists at a path by now is kept, and so is a file or link that the agent put in the place of a
 * folder. What was there before is then discarded, which shows in the diff.
 */
export async function restoreAgentSettings(work: string, aside: string): Promise<void> {
  const giveBack = async (from: Buffer, to: Buffer): Promise<void> => {
    for (const entry of await readdir(from, LISTING)) {
      const [kept, place] = [joinBytes(from, entry.name), joinBytes(to, entry.name)];
      const standing = await lstatIfThere(place);
      if (standing === undefined) {
        await move(kept, place);
      } else if (standing.isDirectory() && entry.isDirectory()) {
        await giveBack(kept, place);
      }
    }
  };
  // Never through a link: the agent could choose where it leads.
  const isThere = async (folder: string): Promise<boolean> => (await lstatIfThere(folder))?.isDirectory() === true;
  if ((await isThere(work)) && (await isThere(aside))) {
    await giveBack(Buffer.from(aside), Buffer.from(work));
  }
  await removeAll(aside);
}
