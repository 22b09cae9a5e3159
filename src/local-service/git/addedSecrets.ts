import type { Git, GitPlace } from '../../git/git';
import { readPatches } from '../../git/patch';
import { findCertainSecrets } from '../../prompt/secrets/findSecrets';
import { shownPaths } from '../text';

/** How much is searched, in files and UTF-16 units. More is no documentation, and the host may search it as well. */
const LIMITS = { files: 2_000, perFile: 1_000_000, characters: 4_000_000 };

/** How long a push waits for the search, in milliseconds. */
const SEARCH_MS = 60_000;

/**
 * Returns where lines that were added between two commits have secrets, as a list for a message; undefined if they have
 * none, or if the search takes too long. Throws GitError.
 */
export async function placesOfAddedSecrets(
  git: Git,
  place: GitPlace,
  base: string,
  commit: string,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(SEARCH_MS);
  const places: string[] = [];
  try {
    for (const { path, patch } of await readPatches({ git, place, signal }, [base, commit], LIMITS)) {
      const { text, lines } = addedText(patch);
      for (const { start } of await findCertainSecrets(text, signal)) {
        places.push(`${path}:${lines[text.slice(0, start).split('\n').length - 1] ?? 1}`);
      }
    }
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
  return shownPaths([...new Set(places)]);
}

/** The added lines of a patch without context, and their numbers in the new file. */
function addedText(patch: string): { text: string; lines: number[] } {
  const [added, lines]: [string[], number[]] = [[], []];
  let next: number | undefined;
  for (const line of patch.split('\n')) {
    const start = /^@@ \S+ \+(\d+)/.exec(line)?.[1];
    if (start !== undefined) {
      next = Number(start);
    } else if (next !== undefined && line.startsWith('+')) {
      added.push(line.slice(1));
      lines.push(next);
      next += 1;
    }
  }
  return { text: added.join('\n'), lines };
}
