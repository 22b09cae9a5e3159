import type { GitCommit, GitRepository } from '../../services/gitExtension';

/** So many commits are read at once, and at most. */
const PAGE = 100;
export const MAX_COMMITS = 5_000;

/** The log of a repository, page by page, the newest first. */
export class CommitPages {
  readonly all: GitCommit[] = [];
  /** Why no more are read. */
  end: 'all read' | 'too many' | 'closed' | { failed: unknown } | undefined;
  private reading: Promise<boolean> | undefined;

  /** @param path of a file: only commits that changed it */
  constructor(
    private readonly repository: Pick<GitRepository, 'log' | 'state'>,
    private readonly path?: string,
  ) {}

  /** Reads one page more, unless one is being read. True when there are more commits then. Never rejects. */
  async more(): Promise<boolean> {
    if (this.reading !== undefined || this.end !== undefined) {
      return false;
    }
    this.reading = this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  /** Nobody looks any more: nothing is read from now on. */
  close(): void {
    this.end ??= 'closed';
  }

  private async read(): Promise<boolean> {
    const { repository, path } = this;
    try {
      const skip = this.all.length;
      const commits = await repository.log({ maxEntries: PAGE, skip, ...(path === undefined ? {} : { path }) });
      const known = new Set(this.all.map(({ hash }) => hash));
      const fresh = commits.filter(({ hash }) => !known.has(hash));
      this.all.push(...fresh);
      if (fresh.length === 0 || commits.length < PAGE) {
        this.end ??= 'all read';
      } else if (this.all.length >= MAX_COMMITS) {
        this.end ??= 'too many';
      }
      return fresh.length > 0 && this.end !== 'closed';
    } catch (failed) {
      // A repository without a commit has no log.
      this.end ??= repository.state.HEAD?.commit === undefined ? 'all read' : { failed };
      return false;
    }
  }
}
