import type { KnownTexts } from './checkCache';
import type { Loss } from './codeHistory';
import { PAGE_ENDINGS } from './paths';
import type { Repository } from './ports';

/** How many commits are searched at once; each needs a process. */
const AT_ONCE = 2;
/** How many commits are searched at most. */
const MAX_COMMITS = 1_000;

/** A text that some page may have had just before a change of the code. */
export interface PastText {
  loss: Loss;
  text: string;
}

/** Finds out what the pages said before changes of the code. */
export class PastPages {
  private readonly commits = new Map<string, Promise<string | undefined>>();
  private count = 0;

  constructor(
    private readonly repository: Repository,
    private readonly isPage: (path: string) => boolean,
    private readonly found: KnownTexts,
  ) {}

  /** Returns the pages that had each text at the parent of the change, as `COMMIT:PATH`. */
  async find(wanted: readonly PastText[]): Promise<string[][]> {
    const parents = await Promise.all(wanted.map(({ loss }) => this.parentOf(loss)));
    const queue = [...Map.groupBy(wanted.keys(), (index) => parents[index] ?? '')].filter(([commit]) => commit !== '');
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await this.search(
          next[0],
          next[1].map((index) => wanted[index]?.text ?? ''),
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return wanted.map(({ text }, index) =>
      [...(this.found.get(parents[index] ?? '')?.get(text) ?? [])].map((path) => `${parents[index] ?? ''}:${path}`),
    );
  }

  private async search(commit: string, texts: readonly string[]): Promise<void> {
    const known = this.found.get(commit) ?? new Map<string, Set<string>>();
    this.found.set(commit, known);
    const open = [...new Set(texts)].filter((text) => !known.has(text));
    if (open.length === 0 || ++this.count > MAX_COMMITS) {
      return;
    }
    open.forEach((text) => known.set(text, new Set()));
    const paths = PAGE_ENDINGS.map((ending) => `*.${ending}`);
    for (const match of await this.repository.grep(commit, open, { words: true, paths, globs: true })) {
      // Git reports the longest of several texts at a place.
      for (const text of this.isPage(match.path) ? open : []) {
        if (match.text.includes(text)) {
          known.get(text)?.add(match.path);
        }
      }
    }
  }

  /** The commit before a change; in the repository of the pages, the newest one at that time. */
  private parentOf({ repository, commit: { commit, date } }: Loss): Promise<string | undefined> {
    const known = this.commits.get(commit);
    const found = known ?? (repository === 0 ? Promise.resolve(`${commit}^`) : this.repository.commitAt(date - 1_000));
    this.commits.set(commit, found);
    return found;
  }
}
