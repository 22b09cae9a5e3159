import type { Git, RunGit } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { joinTexts } from '../codedText';
import type { Destination } from '../forges/publisher';
import type { Job } from '../store/jobStore';
import { shownPaths } from '../text';
import { placesOfAddedSecrets } from './addedSecrets';
import { SEEN } from './hostBranches';
import { findNewPointers } from './lfs';
import { mergeTree } from './takeIn';
import type { UserRepository } from './userRepository';

interface WorkToPush {
  job: Pick<Job, 'id' | 'branch' | 'baseCommit' | 'pushedCommit' | 'pushedTo'>;
  commit: string;
  /** The user's work tree. */
  folder: string;
  /** The service's own git directory, which knows what was seen on the remote. */
  hostGit: string;
}

/**
 * Returns why the branch must not be pushed before the user has done something; undefined if it may be. A push can't be
 * undone, and it would publish commits of the user or a secret, or start CI that the agent has configured: Git hosts run
 * what a pushed branch contains, with the repository's secrets. Throws GitError.
 */
export async function whyNotPushed(
  { git, repository }: { git: Git; repository: UserRepository },
  { job: { id, branch, baseCommit, pushedCommit, pushedTo }, commit, folder, hostGit }: WorkToPush,
  { name: remote, url, references }: Pick<Destination, 'name' | 'url' | 'references'>,
): Promise<CodedText | undefined> {
  // Below, a missing commit would count as one without commits of the user.
  if ((await repository.commitOf(folder, commit)) === undefined) {
    return coded('commitsGone');
  }
  const pushed = pushedTo === url && pushedCommit !== null ? [pushedCommit] : [];
  const known = [...(await findPublished(git, folder, references)), ...(await findSeen(git, hostGit)), ...pushed];
  const published = known.map((each) => `^${each}`);
  // What the user has added to the job's branch belongs to it; what the branch is based on may not be meant for others.
  const start = baseCommit ?? commit;
  const count = await countCommits(git, folder, ['--invert-grep', byJob(id)], [start, ...published]);
  if (count > 0) {
    return count === 1 ? coded('commitNotPublished', { remote }) : coded('commitsNotPublished', { count, remote });
  }
  const names = baseCommit === null ? undefined : await changedCiFiles(git, folder, baseCommit, commit);
  // If the user has pushed the branch, the remote has them.
  const hasCi =
    names !== undefined &&
    (await countCommits(git, folder, [byJob(id)], [commit, ...published, '--', ...CI_FILES])) > 0;
  const before = await lastPublished(git, hostGit, [commit, ...published]);
  const own = { folder: hostGit, gitDir: hostGit };
  const places = before === undefined ? undefined : await placesOfAddedSecrets(git, own, before, commit);
  const large = before === undefined ? undefined : await findNewPointers(git, folder, own, before, commit);
  return joinTexts(
    hasCi ? coded('ciChanged', { names, remote }) : undefined,
    places === undefined ? undefined : coded('secretsAdded', { places, remote, branch }),
    large === undefined ? undefined : coded('lfsNotUploaded', { names: large, remote, branch }),
  );
}

/** Selects the commits that were made by a job. */
function byJob(jobId: string): string {
  return `--grep=^Docs-Agent-Job: ${jobId}$`;
}

/**
 * What the remote has, as far as the user's repository knows. A symbolic ref tells nothing about the remote, because it
 * may name a local branch.
 */
async function findPublished(git: Git, folder: string, references: readonly string[]): Promise<string[]> {
  const format = '--format=%(if)%(symref)%(then)%(else)%(objectname)%(end)';
  const within = references.map((pattern) => pattern.replace(/\*$/, ''));
  const known = within.length === 0 ? '' : await git.run({ folder }, ['for-each-ref', format, ...within]);
  return known.split('\n').filter((id) => id !== '');
}

/** What was seen on the remote. */
async function findSeen(git: Git, hostGit: string): Promise<string[]> {
  const listed = await git.run({ folder: hostGit, gitDir: hostGit }, ['for-each-ref', '--format=%(objectname)', SEEN]);
  return listed.split('\n').filter((id) => id !== '');
}

/**
 * What the oldest commit that the remote lacks was made from: its parent, or for a merge what git makes of its parents.
 * Undefined if the remote has them all. Throws GitError.
 */
async function lastPublished(git: Git, hostGit: string, revisions: readonly string[]): Promise<string | undefined> {
  const run: RunGit = (args, options) => git.run({ folder: hostGit, gitDir: hostGit }, args, options);
  const input = revisions.map((line) => `${line}\n`).join('');
  const listed = await run(['rev-list', '--parents', '--first-parent', '--ignore-missing', '--stdin'], { input });
  const [, parent, other] = listed.trimEnd().split('\n').at(-1)?.split(' ') ?? [];
  return parent === undefined || other === undefined ? parent : (await mergeTree(run, parent, other)).tree;
}

async function countCommits(
  git: Git,
  folder: string,
  filter: readonly string[],
  lines: readonly string[],
): Promise<number> {
  const args = [
    '--no-literal-pathspecs',
    'rev-list',
    '--count',
    '--ignore-missing',
    '--basic-regexp',
    ...filter,
    '--stdin',
  ];
  const input = lines.map((line) => `${line}\n`).join('');
  return Number(await git.run({ folder }, args, { input }));
}

/** Maximum size of all names, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Pathspecs of the files that CI services read from a pushed branch. Some services ignore case. */
const CI_FILES = [
  '.github/workflows',
  '.github/actions',
  '.gitea/workflows',
  '.forgejo/workflows',
  '.gitlab-ci.yml',
  '.gitlab/ci',
  '.circleci',
  '.buildkite',
  '.woodpecker',
  '.woodpecker.yml',
  '.woodpecker.yaml',
  '.drone.yml',
  '.travis.yml',
  '.cirrus.yml',
  '.cirrus.star',
  '.semaphore',
  '.teamcity',
  '.builds',
  '.build.yml',
  '.appveyor.yml',
  'appveyor.yml',
  'azure-pipelines.yml',
  'azure-pipelines.yaml',
  '.azure-pipelines',
  'bitbucket-pipelines.yml',
  'cloudbuild.yaml',
  'Jenkinsfile',
].map((path) => `:(top,icase)${path}`);

/**
 * Names the CI configuration that differs between two commits. Throws GitError.
 *
 * @returns a list for a message; undefined if there is no difference
 */
async function changedCiFiles(git: Git, folder: string, base: string, commit: string): Promise<string | undefined> {
  const args = [
    '--no-literal-pathspecs',
    'diff-tree',
    '-r',
    '-z',
    '--name-only',
    '--no-renames',
    base,
    commit,
    '--',
    ...CI_FILES,
  ];
  const printed = await git.run({ folder }, args, { maxBytes: MAX_BYTES });
  return shownPaths(printed.split('\0').slice(0, -1));
}
