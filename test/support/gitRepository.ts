import type { GitRepository } from '../../src/extension/platform/gitExtension';
import { git } from './temporaryRepository';

/** What the Git extension reports about a real repository, as far as a checkout needs it. */
export interface ReportedRepository extends GitRepository {
  /** How many listen for changes of its state. */
  readonly listeners: ReadonlySet<() => void>;
}

export async function gitRepository(root: string): Promise<ReportedRepository> {
  const listeners = new Set<() => void>();
  const state = {
    HEAD: {},
    remotes: [],
    onDidChange: (listener: () => void) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
  const read = async (...args: string[]): Promise<string | undefined> =>
    git(root, ...args).then(
      (text) => text.trim(),
      () => undefined,
    );
  const status = async (): Promise<void> => {
    state.HEAD = {
      name: await read('symbolic-ref', '--short', 'HEAD'),
      commit: await read('rev-parse', '--verify', 'HEAD'),
    };
    listeners.forEach((listener) => listener());
  };
  await status();
  const getBranch = async (name: string): Promise<object> => ({
    name: name.replace('refs/heads/', ''),
    commit: (await git(root, 'rev-parse', '--verify', name)).trim(),
  });
  const getMergeBase = (one: string, other: string): Promise<string | undefined> => read('merge-base', one, other);
  const rootUri = { fsPath: root, path: root, toString: () => `file://${root}` };
  return { rootUri, state, status, getBranch, getMergeBase, listeners } as unknown as ReportedRepository;
}
