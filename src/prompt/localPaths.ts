/** A folder of the user's machine, and what a prompt says instead. */
export interface LocalFolder {
  /** Absolute, as the system writes it. */
  path: string;
  name: string;
}

/**
 * A text without where the folders lie on the user's machine: a path below one is told from there on, and the folder's
 * own by its name. `home`, which names the user, becomes `~`.
 */
export function withoutLocalPaths(text: string, folders: readonly LocalFolder[], home: string): string {
  const all = [
    ...folders.map(({ path, name }) => ({ path, below: '', itself: name })),
    { path: home, below: '~/', itself: '~' },
  ];
  return all
    .map((each) => ({ ...each, path: each.path.replace(/[/\\]+$/, '') }))
    .filter(({ path }) => path !== '')
    .toSorted((a, b) => b.path.length - a.path.length)
    .reduce((told, { path, below, itself }) => {
      const pattern = path.split(/[/\\]/).map(escaped).join('[/\\\\]+');
      // A disk that begins with a letter knows no case.
      const flags = /^[a-z]:/i.test(path) ? 'gi' : 'g';
      const found = new RegExp(`(?:file:/{2,3}|(?<![\\w/\\\\]))${pattern}(?:([/\\\\]+)|(?![\\w-]))`, flags);
      return told.replace(found, (_, slash: string | undefined) => (slash === undefined ? itself : below));
    }, text);
}

function escaped(part: string): string {
  return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
