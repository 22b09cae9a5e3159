import { READ_MS } from '../../base/limits';
import { type Git, GitError, type GitPlace } from '../../git/git';
import { dropInvisible } from '../../base/text';
import { cutText } from '../text';

/** Folders that may have the template of a pull request, in the order of their precedence; '' is the root. */
const TEMPLATE_FOLDERS = ['.github/', '', 'docs/', '.gitlab/merge_request_templates/'];
const TEMPLATE = /^(\.github\/|docs\/)?pull_request_template\.md$|^\.gitlab\/merge_request_templates\/default\.md$/i;

/** How much of a template a pull request contains, in characters. */
export const MAX_TEMPLATE = 10_000;

/** The rules for documentation that some repositories keep for agents. */
export const DOCUMENTATION_RULES = '.mintlify/AGENTS.md';
/** How much of them an agent is given, in characters. */
const MAX_RULES = 8000;

/** Larger files are ignored. In bytes. */
const MAX_BYTES = 1024 * 1024;
const READ = { maxBytes: MAX_BYTES, timeoutMs: READ_MS };

/**
 * Returns the repository's template for pull requests as it was in a commit; empty if there is none. Read from the
 * commit that the work is based on, so that an agent can't change it.
 */
export async function pullRequestTemplate(git: Git, place: GitPlace, base: string): Promise<string> {
  const folders = TEMPLATE_FOLDERS.filter((folder) => folder !== '');
  const paths = (
    await Promise.all([[], ...folders.map((folder) => [folder])].map((at) => filesIn(git, place, base, at)))
  )
    .flat()
    .filter((path) => TEMPLATE.test(path));
  const rank = (path: string): number =>
    TEMPLATE_FOLDERS.indexOf(path.slice(0, path.lastIndexOf('/') + 1).toLowerCase());
  const [first] = paths.toSorted((a, b) => rank(a) - rank(b));
  return first === undefined ? '' : readText(git, place, `${base}:${first}`, MAX_TEMPLATE);
}

/** Returns the repository's rules for documentation; empty if there are none. */
export async function documentationRules(git: Git, place: GitPlace): Promise<string> {
  const isThere = (await filesIn(git, place, 'HEAD', ['.mintlify/'])).includes(DOCUMENTATION_RULES);
  return isThere ? readText(git, place, `HEAD:${DOCUMENTATION_RULES}`, MAX_RULES) : '';
}

/** The files directly in a folder, without links and submodules. */
async function filesIn(git: Git, place: GitPlace, commit: string, folder: readonly string[]): Promise<string[]> {
  const printed = await git.run(place, ['ls-tree', '-z', '--full-tree', commit, '--', ...folder], READ).catch(nothing);
  return printed
    .split('\0')
    .filter((entry) => /^100(644|755) /.test(entry))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

async function readText(git: Git, place: GitPlace, name: string, max: number): Promise<string> {
  const text = await git.run(place, ['cat-file', 'blob', name], READ).catch(nothing);
  return cutText(dropInvisible(text.replace(/\r\n?|[\u2028\u2029]/g, '\n')).trim(), max);
}

/** Treats what git can't read as empty, because it isn't worth failing for. */
function nothing(error: unknown): string {
  if (error instanceof GitError) {
    return '';
  }
  throw error;
}
