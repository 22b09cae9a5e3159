/** Why a branch was not merged, in words for the user. Nothing was changed then. */
export class MergeRefusal extends Error {}

/** Names a few of these files, in words. */
export function named(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => `“${path}”`);
  const more = paths.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
