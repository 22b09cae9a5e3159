import type { Git } from '../../git/git';
import { shownPath } from '../text';

/** How many files are named. */
const MAX_NAMED = 5;

/** Maximum size of all names, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Pathspecs of the files that CI services read from a pushed branch. Some services ignore case. */
export const CI_FILES = [
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
export async function changedCiFiles(
  git: Git,
  folder: string,
  base: string,
  commit: string,
): Promise<string | undefined> {
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
  const shown = names.slice(0, MAX_NAMED).map((name) => shownPath(Buffer.from(name)));
  return names.length === 0 ? undefined : [...shown, ...(names.length > MAX_NAMED ? ['…'] : [])].join(', ');
}
