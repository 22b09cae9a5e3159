import { setImmediate } from 'node:timers/promises';

/** So many names are looked at before others get their turn: a few milliseconds. */
const BATCH = 2_000;

interface Ranked {
  name: string;
  depth: number;
}

/**
 * The names that contain the letters, whatever their case: at most `max`, the least deep ones first. None once it is
 * cancelled.
 */
export async function nearestNames(
  names: readonly string[],
  letters: string,
  max: number,
  isCancelled: () => boolean = () => false,
): Promise<{ names: string[]; hasMore: boolean }> {
  const asked = letters.toLowerCase();
  let nearest: Ranked[] = [];
  let matches = 0;
  for (let start = 0; start < names.length; start += BATCH) {
    if (isCancelled()) {
      return { names: [], hasMore: false };
    }
    for (const name of names.slice(start, start + BATCH)) {
      if (asked === '' || `/${name}`.toLowerCase().includes(asked)) {
        matches += 1;
        nearest.push({ name, depth: depthOf(name) });
      }
    }
    if (nearest.length > max) {
      // The first ones are sorted already, which makes this cheap.
      nearest = nearest.sort(byDepth).slice(0, max);
    }
    await setImmediate();
  }
  return { names: nearest.sort(byDepth).map(({ name }) => name), hasMore: matches > max };
}

function depthOf(name: string): number {
  let depth = 0;
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    depth += 1;
  }
  return depth;
}

function byDepth(a: Ranked, b: Ranked): number {
  return a.depth - b.depth || (a.name < b.name ? -1 : 1);
}
