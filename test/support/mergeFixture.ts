import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Git } from '../../src/git/git';
import { type MergeResult, type MergeOptions, previewMerge, mergeWork } from '../../src/local-service/review/merge';
import { deleteMergedBranch } from '../../src/local-service/review/mergedBranch';
import { undoMerge } from '../../src/local-service/review/undoMerge';
import { inEnglish } from './codedText';
import { createSampleRepository, git, temporaryFolder } from './temporaryRepository';

export const JOB = 'j1';
export const BRANCH = `docs-agent/${JOB}`;

/** The branch and the commit that a page showed. */
type Shown = MergeOptions['shown'];

/** A user's repository with the branch of a job in it. */
export interface MergeFixture {
  /** The user's work tree. */
  repo: string;
  /** A folder next to it. */
  folder: string;
  /** Runs a script in a clone, commits the changes, and fetches them as the job's branch. Returns the commit. */
  work(script: string): Promise<string>;
  /** The same for a follow-up, on top of the earlier work. */
  more(script: string): Promise<string>;
  /** Runs a script in the user's work tree. */
  shell(script: string): Promise<string>;
  /** Merges the work into the branch of the user's work tree, or of another one, with git or a replacement for it. */
  merge(folder?: string, program?: string, shown?: Shown): Promise<MergeResult>;
  /** Merges the work and deletes its branch, like the service. */
  mergeAndDelete(): Promise<void>;
  /** Undoes the merge in the user's work tree, or in another one. Returns the branch that was moved back. */
  undo(folder?: string, program?: string): Promise<string | undefined>;
  /** What a page would show if it were opened now. */
  outlook(folder?: string): Promise<Shown & { words: string; blocked?: boolean }>;
}

export async function createMergeFixture(): Promise<MergeFixture> {
  const folder = await temporaryFolder();
  const repo = join(folder, 'repository');
  await createSampleRepository(repo);
  const shell = (script: string, cwd = repo): Promise<string> =>
    git(cwd, '-c', `alias.x=!set -e; cd '${cwd}'; ${script}`, 'x');
  let [commit, base] = ['', ''];
  const work = async (script: string): Promise<string> => {
    base = (await git(repo, 'rev-parse', 'HEAD')).trim();
    const clone = join(folder, 'clone');
    await rm(clone, { recursive: true, force: true });
    await git(folder, 'clone', '--quiet', repo, clone);
    await shell(`git checkout --quiet -b ${BRANCH}\n${script}\ngit add --all\ngit commit --quiet -m Work`, clone);
    return publish(clone);
  };
  const publish = async (clone: string): Promise<string> => {
    await git(repo, 'fetch', '--quiet', clone, `+refs/heads/${BRANCH}:refs/heads/${BRANCH}`);
    commit = (await git(repo, 'rev-parse', BRANCH)).trim();
    return commit;
  };
  const more = async (script: string): Promise<string> => {
    const clone = join(folder, 'clone');
    await shell(`${script}\ngit add --all\ngit commit --quiet -m More`, clone);
    return publish(clone);
  };
  const author = { name: 'Robin Example', email: 'robin@example.org' };
  const describe = () => Promise.resolve({ prompt: 'Say more', summary: 'Said more.' });
  const about = () => ({
    commit,
    branch: BRANCH,
    jobId: JOB,
    author,
    describe,
    base: { commit: base, branch: 'main' },
  });
  const outlook: MergeFixture['outlook'] = async (at = repo) => {
    const { text, ...shown } = await previewMerge(new Git(process.env), at, about());
    return { ...shown, words: inEnglish(text) };
  };
  const merge: MergeFixture['merge'] = async (at = repo, program, shown) =>
    mergeWork(new Git(process.env, program), at, { ...about(), shown: shown ?? (await outlook(at)) });
  const mergeAndDelete = async (): Promise<void> => {
    await merge();
    await deleteMergedBranch(new Git(process.env), repo, about());
  };
  const undo: MergeFixture['undo'] = (at = repo, program) => undoMerge(new Git(process.env, program), at, about());
  return { repo, folder, work, more, shell, merge, mergeAndDelete, undo, outlook };
}

/** Type, mode and content of each file below a folder, by path, without git's objects and its own leftovers. */
export async function wholeState(folder: string): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (/[/\\]\.git[/\\](objects([/\\]|$)|ORIG_HEAD$)/.test(path)) {
      continue;
    }
    const { mode } = await lstat(path);
    const content = entry.isSymbolicLink()
      ? await readlink(path)
      : entry.isFile()
        ? createHash('sha256')
            .update(await readFile(path))
            .digest('hex')
        : '';
    state[path.slice(folder.length + 1)] = `${mode.toString(8)} ${content}`;
  }
  return state;
}

/** Writes a file, and creates its parent folders. */
export async function put(root: string, path: string, content: string | Buffer, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  await chmod(join(root, path), mode);
}
