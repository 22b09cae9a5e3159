import type { Git } from '../../git/git';
import { shownPath } from '../text';
import { type JobFolders, stagingPlace } from './jobClone';

/** Folders that programs fill: packages, caches, and the results of builds. */
const GENERATED =
  /(^|\/)(node_modules|bower_components|vendor|pods|\.yarn|\.pnpm-store|\.?venv|site-packages|[^/]+\.egg-info|\.eggs|__pycache__|[^/]*cache|\.tox|\.nox|\.gradle|\.terraform|\.bundle|\.dart_tool|\.angular|\.astro|\.docusaurus|\.next|\.nuxt|\.output|\.svelte-kit|\.turbo|\.nyc_output|coverage|htmlcov|_?build|dist|out|target|bin|obj|_?site|public|te?mp|logs?)\//iu;
const LEFTOVER =
  /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|\.[^/]*cache|[^/]*(~|\.(log|py[co]|class|o|obj|tsbuildinfo|sw[op]|tmp)))$/iu;

/** How many files are named. */
const MAX_NAMED = 5;

/** How long git may take, in milliseconds. */
const LIMIT_MS = 120_000;

/**
 * Names files in the work folder that no commit will contain because git ignores them, except for what programs
 * generate. The clone had none at first, so the agent, or a program that it ran, has written them.
 *
 * @param repository the folder of the user's repository
 * @returns a list for a message; undefined if there are none
 */
export async function ignoredWork(git: Git, folders: JobFolders, repository: string): Promise<string | undefined> {
  const host = await stagingPlace(git, folders, repository);
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z'];
  const named: string[] = [];
  // One character per byte, because a name need not be UTF-8.
  let rest = '';
  for await (const chunk of git.stream(host, args, AbortSignal.timeout(LIMIT_MS))) {
    const paths = (rest + Buffer.from(chunk).toString('latin1')).split('\0');
    rest = paths.pop() ?? '';
    for (const path of paths.filter((each) => !GENERATED.test(each) && !LEFTOVER.test(each))) {
      if (named.length === MAX_NAMED) {
        // There may be millions.
        return [...named, '…'].join(', ');
      }
      named.push(shownPath(Buffer.from(path, 'latin1')));
    }
  }
  return named.length === 0 ? undefined : named.join(', ');
}
