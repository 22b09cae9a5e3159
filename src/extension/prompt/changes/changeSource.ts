import { type ChangeRepository, GitError } from '../../../git/git';

export type ChangeKind = 'workingTree' | 'staged' | 'branch' | 'commit';

/** Which change is meant. */
export type WantedChange =
  | { kind: 'workingTree' | 'staged' }
  /** @property base a branch or commit; undefined for the branch that others start from */
  | { kind: 'branch'; base?: string }
  /** @property first the first commit of a range, which ends with `ref` */
  | { kind: 'commit'; ref: string; first?: string };

/** A change as git can be asked for it. */
export interface ChangeSource {
  kind: ChangeKind;
  /** What `git diff` compares, by ids. */
  args: string[];
  /** Files that git does not know belong to it. */
  withUntracked: boolean;
  /** The commit that is compared with; undefined where there is none yet. */
  base: string | undefined;
  /** The commit that it ends with; undefined for what is not committed. */
  head: string | undefined;
  /** The name of the branch that was compared with. */
  baseName?: string;
  isMerge?: true;
}

/** Why there is no such change; whoever shows it has the words. */
export type NoChange =
  { why: 'no base' } | { why: 'nothing in common'; base: string } | { why: 'no commit'; ref: string };

export class NoChangeError extends Error {
  constructor(readonly reason: NoChange) {
    super(reason.why);
  }
}

/** Finds the commits that a wanted change is between. Throws GitError, and NoChangeError where there are none. */
export async function findSource(repository: ChangeRepository, wanted: WantedChange): Promise<ChangeSource> {
  switch (wanted.kind) {
    case 'workingTree':
    case 'staged': {
      const base = await commitOf(repository, 'HEAD');
      const args = wanted.kind === 'staged' ? ['--cached'] : [base ?? (await emptyTree(repository))];
      const withUntracked = wanted.kind === 'workingTree';
      return { kind: wanted.kind, args, withUntracked, base, head: undefined };
    }
    case 'branch':
      return branchSource(repository, wanted.base);
    case 'commit':
      return commitSource(repository, wanted.ref, wanted.first);
  }
}

/** The id of a commit; undefined where there is none of this name. */
export async function commitOf({ git, place }: ChangeRepository, ref: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  try {
    return (await git.run(place, args)).trim();
  } catch (error) {
    if (error instanceof GitError && error.exitCode === 1) {
      return undefined;
    }
    throw error;
  }
}

/** The branch that others start from, as the remote names it or else by its usual names; without `refs/`. */
export async function defaultBase({ git, place }: ChangeRepository): Promise<string | undefined> {
  const branch = (await git.run(place, ['branch', '--show-current'])).trim();
  const [named, configured] = await Promise.all([
    git.configured(place.folder, `branch.${branch}.remote`),
    git.configured(place.folder, 'init.defaultBranch'),
  ]);
  const names = [...new Set([configured, 'main', 'master'])].filter((name) => name !== undefined);
  const remotes = [...new Set([named, 'upstream', 'origin'])].filter((name) => name !== undefined && name !== '.');
  const candidates = [
    ...remotes.map((remote) => `refs/remotes/${remote ?? ''}/HEAD`),
    ...remotes.flatMap((remote) => names.map((name) => `refs/remotes/${remote ?? ''}/${name}`)),
    ...names.filter((name) => name !== branch).map((name) => `refs/heads/${name}`),
  ];
  const args = ['for-each-ref', '--format=%(refname)%00%(symref)', '--', ...candidates];
  const found = new Map(
    (await git.run(place, args)).split('\n').map((line) => {
      const [name = '', target = ''] = line.split('\0');
      return [name, target === '' ? name : target] as const;
    }),
  );
  const best = candidates.find((candidate) => found.has(candidate));
  return best && found.get(best)?.replace(/^refs\/(heads|remotes)\//, '');
}

async function branchSource(repository: ChangeRepository, wanted?: string): Promise<ChangeSource> {
  const baseName = wanted ?? (await defaultBase(repository));
  const [head, base] = await Promise.all([
    commitOf(repository, 'HEAD'),
    baseName === undefined ? undefined : commitOf(repository, baseName),
  ]);
  if (head === undefined || base === undefined || baseName === undefined) {
    throw new NoChangeError({ why: 'no base' });
  }
  const fork = await repository.git.run(repository.place, ['merge-base', base, head]).catch(() => undefined);
  if (fork === undefined) {
    throw new NoChangeError({ why: 'nothing in common', base: baseName });
  }
  return { kind: 'branch', args: [fork.trim(), head], withUntracked: false, base: fork.trim(), head, baseName };
}

async function commitSource(repository: ChangeRepository, ref: string, first = ref): Promise<ChangeSource> {
  const [head, start] = await Promise.all([commitOf(repository, ref), commitOf(repository, first)]);
  if (head === undefined || start === undefined) {
    throw new NoChangeError({ why: 'no commit', ref: head === undefined ? ref : first });
  }
  const [base, second] = await Promise.all([commitOf(repository, `${start}^1`), commitOf(repository, `${start}^2`)]);
  const merge = head === start && second !== undefined ? { isMerge: true as const } : {};
  const args = [base ?? (await emptyTree(repository)), head];
  return { kind: 'commit', args, withUntracked: false, base, head, ...merge };
}

/** The id of the tree without a file, which nothing has to hold. */
async function emptyTree({ git, place }: ChangeRepository): Promise<string> {
  return (await git.run(place, ['hash-object', '-t', 'tree', '--stdin'], { input: '' })).trim();
}
