/** What is known about a kind of Git host without asking one. */
interface ForgeFacts {
  /** Public hosts. */
  hosts: readonly string[];
  /** Names that self-hosted ones usually have. */
  names: readonly RegExp[];
  /** Other names of the public hosts for ssh, for networks that block port 22. */
  sshHosts?: Readonly<Record<string, string>>;
  /** In the URL of a commit and of a file: what is between the repository and the hash. */
  commitPath: string;
  filePath: string;
  /** The fragment for lines of a file, which count from 1. */
  lines: (start: number, end: number) => string;
}

const GITHUB_LINES = (start: number, end: number): string => (start === end ? `#L${start}` : `#L${start}-L${end}`);

/** By the software of the host. Forgejo and Codeberg count as Gitea, because their APIs are the same here. */
export const FORGE_KINDS = {
  github: {
    hosts: ['github.com'],
    names: [/^github\./, /\.ghe\.com$/],
    sshHosts: { 'ssh.github.com': 'github.com' },
    commitPath: 'commit',
    filePath: 'blob',
    lines: GITHUB_LINES,
  },
  gitlab: {
    hosts: ['gitlab.com'],
    names: [/^gitlab\./],
    sshHosts: { 'altssh.gitlab.com': 'gitlab.com' },
    commitPath: '-/commit',
    filePath: '-/blob',
    lines: (start, end) => (start === end ? `#L${start}` : `#L${start}-${end}`),
  },
  gitea: {
    hosts: ['codeberg.org', 'gitea.com'],
    names: [/^(gitea|forgejo)\./],
    commitPath: 'commit',
    filePath: 'src/commit',
    lines: GITHUB_LINES,
  },
  bitbucket: {
    hosts: ['bitbucket.org'],
    names: [],
    sshHosts: { 'altssh.bitbucket.org': 'bitbucket.org' },
    commitPath: 'commits',
    filePath: 'src',
    lines: (start, end) => (start === end ? `#lines-${start}` : `#lines-${start}:${end}`),
  },
} as const satisfies Readonly<Record<string, ForgeFacts>>;

export type ForgeKind = keyof typeof FORGE_KINDS;

const ENTRIES = Object.entries(FORGE_KINDS) as [ForgeKind, ForgeFacts][];

/** Infers a host's software from its name; undefined when the name does not tell. */
export function inferForgeKind(origin: string): ForgeKind | undefined {
  const { host, hostname } = new URL(origin);
  const own = ENTRIES.find(([, { hosts }]) => hosts.includes(host));
  return (own ?? ENTRIES.find(([, { names }]) => names.some((name) => name.test(hostname))))?.[0];
}

const SSH_HOSTS = new Map(ENTRIES.flatMap(([, { sshHosts = {} }]) => Object.entries(sshHosts)));

/** @param name a host name as used with ssh */
export function getCanonicalHost(name: string): string {
  return SSH_HOSTS.get(name) ?? name;
}
