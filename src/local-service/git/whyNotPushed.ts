import type { Git } from '../../git/git';
import { coded, type CodedText } from '../../protocol/codedText';
import { joinTexts } from '../codedText';
import type { Destination } from '../forges/publisher';
import type { Job } from '../store/jobStore';
import { shownPaths } from '../text';
import { placesOfAddedSecrets } from './addedSecrets';
import type { UserRepository } from './userRepository';

interface WorkToPush {
  job: Pick<Job, 'id' | 'branch' | 'baseCommit' | 'pushedCommit' | 'pushedTo'>;
  commit: string;
  /** The user's work tree. */
  folder: string;
}

/**
 * Returns why the branch must not be pushed before the user has done something; undefined if it may be. A push can't be
 * undone, and it would publish commits of the user or a secret, or start CI that the agent has configured: Git hosts run
 * what a pushed branch contains, with the repository's secrets. Throws GitError.
 */
export async function whyNotPushed(
  { git, repository }: { git: Git; repository: UserRepository },
  { job: { id, branch, baseCommit, pushedCommit, pushedTo }, commit, folder }: WorkToPush,
  { name: remote, url, references }: Pick<Destination, 'name' | 'url' | 'references'>,
): Promise<CodedText | undefined> {
  const query = { folder, commit, jobId: id, references, pushed: pushedTo === url ? pushedCommit : null };
  // Below, a missing commit would count as one without commits of the user.
  if ((await repository.commitOf(folder, commit)) === undefined) {
    return coded('commitsGone');
  }
  const count = await countUnpublished(git, query);
  if (count > 0) {
    return count === 1 ? coded('commitNotPublished', { remote }) : coded('commitsNotPublished', { count, remote });
  }
  const names = baseCommit === null ? undefined : await changedCiFiles(git, folder, baseCommit, commit);
  // If the user has pushed the branch, the remote has them.
  const hasCi = names !== undefined && (await hasUnpublishedWork(git, query, CI_FILES));
  const oldest = await oldestUnpublished(git, query);
  const places = oldest === undefined ? undefined : await placesOfAddedSecrets(git, folder, `${oldest}^`, commit);
  return joinTexts(
    hasCi ? coded('ciChanged', { names, remote }) : undefined,
    places === undefined ? undefined : coded('secretsAdded', { places, remote, branch }),
  );
}

interface UnpublishedQuery {
  /** The user's work tree. */
  folder: string;
  commit: string;
  jobId: string;
  /** Patterns of the references for what the remote has: folders, each with `/*`. */
  references: readonly string[];
  /** Another commit that it has. */
  pushed: string | null;
}

/** Selects the commits that were made by a job. */
function byJob(jobId: string): string {
  return `--grep=^Docs-Agent-Job: ${jobId}$`;
}

/**
 * The number of the user's commits up to this one that a remote lacks, as far as the repository knows: those of the job
 * do not count. Throws GitError.
 */
async function countUnpublished(
  git: Git,
  { folder, commit, jobId, references, pushed }: UnpublishedQuery,
): Promise<number> {
  const has = await findPublished(git, folder, references, pushed);
  return countCommits(git, folder, ['--invert-grep', byJob(jobId)], [commit, ...has]);
}

/** Whether the remote lacks a commit of the job that changes one of the paths. Throws GitError. */
async function hasUnpublishedWork(
  git: Git,
  { folder, commit, jobId, references, pushed }: UnpublishedQuery,
  paths: readonly string[],
): Promise<boolean> {
  const has = await findPublished(git, folder, references, pushed);
  return (await countCommits(git, folder, [byJob(jobId)], [commit, ...has, '--', ...paths])) > 0;
}

/** The oldest commit of the branch that the remote lacks; undefined if it has them all. Throws GitError. */
async function oldestUnpublished(
  git: Git,
  { folder, commit, references, pushed }: UnpublishedQuery,
): Promise<string | undefined> {
  const input = [commit, ...(await findPublished(git, folder, references, pushed))].map((line) => `${line}\n`).join('');
  const args = ['rev-list', '--first-parent', '--ignore-missing', '--stdin'];
  return (await git.run({ folder }, args, { input })).split('\n').findLast((id) => id !== '');
}

/**
 * What the remote has, as revisions to leave out. A symbolic ref tells nothing about the remote, because it may name a
 * local branch.
 */
async function findPublished(
  git: Git,
  folder: string,
  references: readonly string[],
  pushed: string | null,
): Promise<string[]> {
  const format = '--format=%(if)%(symref)%(then)%(else)%(objectname)%(end)';
  const within = references.map((pattern) => pattern.replace(/\*$/, ''));
  const known = within.length === 0 ? '' : await git.run({ folder }, ['for-each-ref', format, ...within]);
  return [...known.split('\n'), pushed ?? ''].filter((id) => id !== '').map((id) => `^${id}`);
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
  const names = printed.split('\0').filter((name) => name !== '');
  return shownPaths(names.map((name) => Buffer.from(name)));
}
