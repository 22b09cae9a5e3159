import { join } from 'node:path';
import type { GitRepository } from '../../src/extension/platform/gitExtension';
import { git } from './temporaryRepository';

/** `XY` of `git status --porcelain` as the Git extension’s `Status`: X is the index, Y the working tree. */
const STAGED: Record<string, number> = { M: 0, A: 1, D: 2, R: 3 };
const CHANGED: Record<string, number> = { M: 5, D: 6, '?': 7 };

/** What the Git extension reports about a real repository, as far as a checkout needs it. */
export function gitRepository(root: string): GitRepository {
  const uriOf = (path: string) => ({ fsPath: path, path, toString: () => `file://${path}` });
  const state = { HEAD: {}, indexChanges: [] as unknown[], workingTreeChanges: [] as unknown[], mergeChanges: [] };
  const status = async (): Promise<void> => {
    const read = async (...args: string[]): Promise<string | undefined> =>
      git(root, ...args).then(
        (text) => text.trim(),
        () => undefined,
      );
    state.HEAD = {
      name: await read('symbolic-ref', '--short', 'HEAD'),
      commit: await read('rev-parse', '--verify', 'HEAD'),
    };
    // With renames, as the Git extension reads it: the field after a renamed file is its old name.
    const printed = await git(root, 'status', '--porcelain', '-z', '--untracked-files=all');
    const fields = printed.split('\0').filter((field) => field !== '');
    const lines = fields.filter((_, index) => !(fields[index - 1] ?? '').startsWith('R'));
    const changes = (statuses: Record<string, number>, column: 0 | 1): unknown[] =>
      lines.flatMap((line) => {
        const known = statuses[line[column] ?? ''];
        return known === undefined ? [] : [{ status: known, uri: uriOf(join(root, line.slice(3))) }];
      });
    Object.assign(state, { indexChanges: changes(STAGED, 0), workingTreeChanges: changes(CHANGED, 1) });
  };
  return {
    rootUri: uriOf(root),
    state,
    status,
    getCommit: async (ref: string) => {
      const [hash, parents = '', ...lines] = (await git(root, 'log', '-1', '--format=%H%n%P%n%B', ref)).split('\n');
      return { hash, parents: parents.split(' '), message: lines.join('\n') };
    },
    checkout: async (ref: string) => git(root, 'checkout', '--quiet', ref, '--'),
    createBranch: async (name: string, _: boolean, ref: string) =>
      git(root, 'checkout', '--quiet', '-b', name, '--no-track', ref),
    setBranchUpstream: async () => undefined,
    createStash: async ({ message }: { message: string }) => git(root, 'stash', 'push', '-m', message),
    popStash: async () => git(root, 'stash', 'pop'),
  } as unknown as GitRepository;
}
