import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Git } from '../../src/git/git';
import { type MergeOptions, mergeWork, previewMerge, undoMerge } from '../../src/local-service/review/merge';
import type { MergedWork } from '../../src/protocol/localService';
import { inEnglish } from './codedText';
import { createSampleRepository, git, temporaryFolder } from './temporaryRepository';

export const JOB = 'j1';
export const BRANCH = `docs-agent/${JOB}`;

/** What the user saw. */
type Shown = MergeOptions['shown'];

/** A user's repository with the branch of a job in it. */
export interface MergeFixture {
  /** The user's work tree. */
  repo: string;
  /** A folder next to it. */
  folder: string;
  /** Runs a script elsewhere, and commits the changes to the job's branch. Returns the commit. */
  work(script: string): Promise<string>;
  /** The same for a follow-up, on top of the earlier work. */
  more(script: string): Promise<string>;
  /** Runs a script in the user's work tree. */
  shell(script: string): Promise<string>;
  /** What was said about the merge commits. */
  notes: string[];
  /** The commit of a name. */
  commit(name: string): Promise<string>;
  /** Merges the work into the branch of the user's work tree, or of another one, with git or a replacement for it. */
  merge(folder?: string, program?: string, shown?: Shown): Promise<MergedWork>;
  /** Undoes the merge in the user's work tree, or in another one. Returns the branch that was moved back. */
  undo(folder?: string, program?: string): Promise<string | undefined>;
  /** What the user would see now. */
  preview(folder?: string): Promise<Shown & { words: string; deletes: string | null }>;
}

export async function createMergeFixture(): Promise<MergeFixture> {
  const folder = await temporaryFolder();
  const repo = join(folder, 'repository');
  await createSampleRepository(repo);
  const shell = (script: string, cwd = repo): Promise<string> =>
    git(cwd, '-c', `alias.x=!set -e; cd '${cwd}'; ${script}`, 'x');
  const commitOf = async (name: string): Promise<string> => (await git(repo, 'rev-parse', name)).trim();
  let [commit, base] = ['', ''];
  const commitWork = async (start: string, script: string): Promise<string> => {
    const clone = join(folder, 'clone');
    await git(repo, 'worktree', 'add', '--quiet', '--detach', clone, start);
    await shell(`${script}\ngit add --all\ngit commit --quiet -m Work`, clone);
    commit = (await git(clone, 'rev-parse', 'HEAD')).trim();
    await rm(clone, { recursive: true });
    await git(repo, 'worktree', 'prune');
    await git(repo, 'branch', '--quiet', '--force', BRANCH, commit);
    return commit;
  };
  const author = { name: 'Robin Example', email: 'robin@example.org' };
  const describe = () => Promise.resolve({ prompt: 'Say more', summary: 'Said more.' });
  const workOf = () => ({ commit, branch: BRANCH, jobId: JOB, base: { commit: base, branch: 'main' } });
  const preview: MergeFixture['preview'] = async (at = repo) => {
    const { text, ...shown } = await previewMerge(new Git(process.env), at, workOf());
    return { ...shown, words: inEnglish(text) };
  };
  const notes: string[] = [];
  return {
    ...{ repo, folder, shell, preview, commit: commitOf, notes },
    async work(script) {
      base = await commitOf('HEAD');
      return commitWork(base, script);
    },
    more: (script) => commitWork(commit, script),
    merge: async (at = repo, program = 'git', shown?) =>
      mergeWork(new Git(process.env, program), at, workOf(), {
        ...{ author, describe, shown: shown ?? (await preview(at)) },
        onNote: (note) => notes.push(inEnglish(note)),
      }),
    undo: (at = repo, program = 'git') => undoMerge(new Git(process.env, program), at, workOf(), author),
  };
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
