import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import type { GitCommit, GitRepository } from '../../src/extension/platform/gitExtension';

interface FakeStash extends GitCommit {
  files: string[];
}

/** A repository with branches, changed files and stashes, in memory. */
export class FakeGit {
  head = 'main';
  changed: string[] = [];
  readonly stashes: FakeStash[] = [];
  /** Set to make the next checkouts fail. */
  refuses: Error | undefined;
  /** Set to leave changes in place when they should be stashed. */
  stashFails = false;
  /** Set to files that stay changed although they are in the stash. */
  stashLeaves: string[] = [];
  /** Set to make restoring the newest stash fail. */
  popFails = false;
  /** Set if `head` is a commit and not a branch. */
  isDetached = false;
  readonly listeners = new Set<() => void>();
  /** How often git was run to look up a commit. */
  commitsRead = 0;
  /** The git that reads branches: they never differ. */
  readonly git = {
    run: async () => '',
    async *stream() {
      yield* [] as Uint8Array[];
    },
    configured: async () => undefined,
  };
  private made = 0;

  constructor(private readonly root: string) {}

  /** A new object for each access, as in the Git extension. */
  get repository(): GitRepository {
    return {
      rootUri: { fsPath: this.root, path: this.root },
      state: this.state(),
      status: async () => undefined,
      checkout: async (name: string) => this.checkout(name),
      getCommit: async (ref: string) => this.commit(ref),
      diffBetween: async () => [],
      createStash: async ({ message }: { message: string }) => this.stash(message),
      popStash: async () => this.pop(),
    } as unknown as GitRepository;
  }

  private state(): unknown {
    const { root } = this;
    const [head, changed, isDetached] = [() => this.head, () => this.changed, () => this.isDetached];
    return {
      onDidChange: (listener: () => void) => {
        this.listeners.add(listener);
        return { dispose: () => this.listeners.delete(listener) };
      },
      get HEAD() {
        return isDetached() ? { commit: head() } : { name: head(), commit: `commit of ${head()}` };
      },
      get workingTreeChanges() {
        return changed().map((file) => ({ uri: { fsPath: join(root, file), toString: () => file }, status: 5 }));
      },
      remotes: [],
      indexChanges: [],
      mergeChanges: [],
      untrackedChanges: [],
    };
  }

  private checkout(name: string): void {
    if (this.refuses !== undefined) {
      throw this.refuses;
    }
    deepStrictEqual(this.changed, [], 'nothing is checked out over changes');
    this.head = name;
  }

  private commit(ref: string): GitCommit {
    this.commitsRead += 1;
    const index = ref === 'refs/stash' ? 0 : Number(/^stash@\{(\d+)\}$/.exec(ref)?.[1] ?? -1);
    const found = this.stashes[index] ?? this.stashes.find(({ hash }) => hash === ref);
    if (found === undefined) {
      throw new Error(`no ${ref}`);
    }
    return found;
  }

  private pop(): void {
    if (this.popFails) {
      throw new Error('conflict');
    }
    this.changed = [...new Set([...this.changed, ...(this.stashes.shift()?.files ?? [])])];
  }

  private stash(message: string): void {
    if (this.stashFails) {
      return;
    }
    const parents = [`commit of ${this.head}`, 'index'];
    const hash = `s${(this.made += 1)}`;
    this.stashes.unshift({ hash, message: `On ${this.head}: ${message}`, parents, files: this.changed });
    this.changed = this.stashLeaves;
  }
}
