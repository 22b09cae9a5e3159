/** What runs on a code host. Forgejo and Codeberg count as Gitea: their interfaces are the same here. */
export type ForgeKind = 'github' | 'gitlab' | 'gitea' | 'bitbucket' | 'unknown';

const KNOWN: Readonly<Record<string, ForgeKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
};
const NAMED: readonly (readonly [RegExp, ForgeKind])[] = [
  [/^github\./, 'github'],
  [/\.ghe\.com$/, 'github'],
  [/^gitlab\./, 'gitlab'],
  [/^(gitea|forgejo)\./, 'gitea'],
];

/** What a host runs by its name alone; undefined where that does not tell. */
export function namedForge(origin: string): ForgeKind | undefined {
  const { host, hostname } = new URL(origin);
  return KNOWN[host] ?? NAMED.find(([pattern]) => pattern.test(hostname))?.[1];
}
