import { lstat, opendir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { lstatIfThere, readStart, joinBytes } from '../../base/files';
import { MAX_PATH, READ_MS } from '../../base/limits';
import type { Git } from '../../git/git';
import { readSettings } from '../../git/repositorySettings';
import { coded, type CodedText } from '../../protocol/codedText';
import { shownPath } from '../text';

const READ = { timeoutMs: READ_MS };

/** Where git looks for refs in a git directory (gitrepository-layout(5)). */
const REFS = ['HEAD', 'packed-refs', 'refs', 'reftable'];

/** How many files with refs are looked at. */
const MAX_REFS = 100_000;

/**
 * Returns why a work tree can't be used: its `.git` may lead to another repository of the user, because a folder from
 * an archive can contain any `.git`. Undefined if its refs are its own. Objects may be borrowed from anywhere
 * (`git clone --shared`), because without a ref, only who knows the id of a commit can name it. Throws GitError and
 * errors of the file system.
 *
 * @param topLevel its real path
 */
export async function whyNotOwn(git: Git, topLevel: string, maxRefs = MAX_REFS): Promise<CodedText | undefined> {
  const place = { folder: topLevel };
  const ask = async (what: string): Promise<string> => {
    const printed = await git.run(place, ['rev-parse', what], READ);
    return realpath(resolve(topLevel, printed.replace(/\r?\n$/, '')));
  };
  const named = join(topLevel, '.git');
  const stats = await lstat(named);
  const [gitDir, common] = [await ask('--absolute-git-dir'), await ask('--git-common-dir')];
  const settings = new Map(await readSettings(git, place, '^(core\\.worktree|extensions\\.refstorage)$'));
  if (stats.isFile()) {
    const isLinked = gitDir !== common;
    const isOwn = isLinked ? await isEntryOf(gitDir, common, named) : settings.has('core.worktree');
    if (!isOwn) {
      // Git writes no way back for `--separate-git-dir`. It resolved `core.worktree` to this folder, if it is set.
      const command = isLinked ? 'git worktree repair' : 'git config core.worktree "$PWD"';
      return coded('gitDirNotOwn', { file: named, gitDir, command });
    }
  } else if (!stats.isDirectory() || gitDir !== (await realpath(named))) {
    return leadsElsewhere(named);
  } else if (gitDir !== common) {
    return leadsElsewhere(join(named, 'commondir'));
  }
  if (settings.get('extensions.refstorage')?.includes(':') === true) {
    return leadsElsewhere('extensions.refStorage');
  }
  const left = { count: maxRefs };
  for (const file of new Set([gitDir, common].flatMap((each) => REFS.map((name) => join(each, name))))) {
    const link = await findLink(Buffer.from(file), left);
    if (link !== undefined) {
      return leadsElsewhere(shownPath(link));
    }
  }
  return left.count < 0
    ? coded('tooManyRefs', { folder: topLevel, count: maxRefs })
    : leadsElsewhere(await findForeignRef(git, topLevel));
}

function leadsElsewhere(file: string | undefined): CodedText | undefined {
  return file === undefined ? undefined : coded('leadsElsewhere', { file });
}

/** True if git has made the git directory for the linked worktree with this `.git`. */
async function isEntryOf(gitDir: string, common: string, named: string): Promise<boolean> {
  const back = (await readStart(join(gitDir, 'gitdir'), MAX_PATH))?.trimEnd() ?? '';
  const [from, to] = await Promise.all([realpath(resolve(gitDir, back)).catch(() => ''), realpath(named)]);
  return from === to && dirname(gitDir) === join(common, 'worktrees');
}

/** Finds a symbolic link at the path or below. Stops when `left` is used up. */
async function findLink(path: Buffer, left: { count: number }): Promise<Buffer | undefined> {
  const stats = await lstatIfThere(path);
  if (stats?.isSymbolicLink() === true) {
    return path;
  }
  // Node's types don't allow `buffer` here.
  const entries = stats?.isDirectory() === true ? await opendir(path, { encoding: 'buffer' as BufferEncoding }) : [];
  for await (const entry of entries) {
    const below = joinBytes(path, entry.name);
    left.count -= 1;
    if (left.count < 0) {
      return undefined;
    }
    const link = entry.isSymbolicLink() ? below : entry.isDirectory() ? await findLink(below, left) : undefined;
    if (link !== undefined) {
      return link;
    }
  }
  return undefined;
}

/** Finds a ref that takes its value from a file outside `refs`, where any name in it may be a link. */
async function findForeignRef(git: Git, folder: string): Promise<string | undefined> {
  const format = '--format=%(if)%(symref)%(then)%(symref) %(refname)%(end)';
  const lines = (await git.run({ folder }, ['for-each-ref', format], READ)).split('\n');
  return lines.find((line) => line !== '' && !line.startsWith('refs/'))?.replace(/^.* /, '');
}
