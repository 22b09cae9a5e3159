import { type CodeWords, missingGroups, scanCode } from './codeWords';
import { type NameOnPage, namesOnPage, pageText } from './collectNames';
import type { ChecksConfiguration } from './configuration';
import type { Coverage, Finding } from './finding';
import { type CacheStore, GoneCache } from './goneCache';
import { GoneSearch } from './goneSearch';
import { type PathRules, pathRules } from './paths';
import {
  type CheckLimits,
  type CheckListener,
  CoverageCounter,
  type Repository,
  type Tree,
  type TreeFile,
} from './ports';
import { filterWhileTime } from './whileTime';

export interface GoneCheck {
  /** The repository of the pages, then further ones whose code counts. */
  repositories: readonly [Repository, ...Repository[]];
  configuration: ChecksConfiguration;
  limits: CheckLimits;
  listener: CheckListener;
  /** A clock that never jumps, in milliseconds. */
  now: () => number;
  cache?: CacheStore | undefined;
}

/** Reports names in code font that are absent from the code now, but were in it when their line was written. */
export async function checkGoneNames(check: GoneCheck): Promise<Coverage> {
  const { repositories, configuration, limits } = check;
  const heads = await Promise.all(repositories.map(headOf));
  const lacksHistory = (await Promise.all(repositories.map((each) => each.lacksHistory()))).some(Boolean);
  const facts = { heads, configuration, limits, lacksHistory };
  const cache = await GoneCache.open(check.cache ?? NO_CACHE, facts);
  const run = new Run(check, heads, cache);
  const coverage = await run.run(lacksHistory);
  await cache.save(coverage).catch(() => undefined);
  return coverage;
}

const NO_CACHE: CacheStore = { load: async () => undefined, save: async () => undefined };

/** How many pages are read between two turns of the event loop. */
const TURN = 20;

class Run {
  private readonly counter = new CoverageCounter();
  private readonly end: number;
  private done = 0;
  private total = 1;
  private rules: { own: PathRules; other: PathRules } | undefined;

  constructor(
    private readonly check: GoneCheck,
    private readonly heads: readonly string[],
    private readonly cache: GoneCache,
  ) {
    this.end = check.now() + check.limits.timeMs;
  }

  async run(lacksHistory: boolean): Promise<Coverage> {
    const { check, counter, heads } = this;
    const { repositories, limits } = check;
    const trees = await Promise.all(repositories.map((repository, at) => repository.tree(heads[at] ?? '')));
    const names = await this.readPages(trees[0]);
    if (lacksHistory) {
      counter.skip('shallow', counter.pages);
      return counter.coverage();
    }
    if (names.length === 0) {
      this.cache.notChecked
        .filter(({ reason }) => OF_CODE.has(reason))
        .forEach((each) => counter.skip(each.reason, each.count));
      return counter.coverage();
    }
    const commits = await Promise.all(repositories.map((each, at) => each.countCommits(heads[at] ?? '')));
    commits.forEach((count) => counter.skip('commits', count - limits.commits));
    this.total += commits.reduce((sum, count) => sum + Math.min(count, limits.commits), 0);
    const code = await this.scanAll(trees);
    await this.search(names, code, commits);
    return counter.coverage();
  }

  /** Reads the pages that have changed since they were cached, and reports the cached findings of the others. */
  private async readPages(tree: Tree | undefined): Promise<NameOnPage[]> {
    const { check, counter } = this;
    const { limits } = check;
    const rules = pathRules(check.configuration);
    const pages = await this.filesOf(tree, (path) => rules.isPage(path));
    counter.skip('files', pages.length - limits.pages);
    this.total += pages.length + (await this.filesOf(tree, (path) => this.isCode(path, 0))).length;
    counter.skip('time', this.hasTime() ? 0 : 1);
    const ignored = new Set(check.configuration.ignore.map(({ name }) => name));
    const names: NameOnPage[] = [];
    for (let at = 0; at < Math.min(pages.length, limits.pages); at += TURN) {
      if (!this.hasTime()) {
        counter.skip('time', Math.min(pages.length, limits.pages) - at);
        break;
      }
      const some = pages.slice(at, Math.min(at + TURN, limits.pages));
      const contents = await Promise.all(
        some.map(({ path }) => check.repositories[0].read(path, 2 * limits.pageBytes)),
      );
      for (const [index, { path }] of some.entries()) {
        const content = contents[index];
        const text = content === undefined ? undefined : pageText(content, counter, limits);
        if (content !== undefined && text !== undefined) {
          names.push(...this.readPage(path, content, text, ignored));
        }
      }
      await this.advance(some.length);
    }
    return names;
  }

  /** Returns the names on a page that still have to be looked for. */
  private readPage(path: string, content: Uint8Array, text: string, ignored: ReadonlySet<string>): NameOnPage[] {
    const { check, counter, cache } = this;
    counter.pages++;
    const known = cache.page(path, content);
    if (known !== undefined) {
      known.findings.forEach((finding) => check.listener.finding(finding));
      counter.names += known.names;
      return [];
    }
    const names = namesOnPage(text, path, (name) => ignored.has(name));
    counter.names += names.length;
    cache.keepPage(path, content, names.length);
    return names.filter((name) => !cache.isSettled(name));
  }

  private async scanAll(trees: readonly Tree[]): Promise<CodeWords[]> {
    const { check, counter } = this;
    const code: CodeWords[] = [];
    for (const [at, repository] of check.repositories.entries()) {
      const tree = trees[at];
      if (tree !== undefined) {
        const isCode = (path: string): boolean => this.isCode(path, at);
        const hasTime = (): boolean => this.hasTime();
        const read = (files: number): void => void this.advance(files);
        code.push(await scanCode(repository, tree, { limits: check.limits, isCode, hasTime, counter, read }));
      }
    }
    return code;
  }

  private async search(
    names: readonly NameOnPage[],
    code: readonly CodeWords[],
    commits: readonly number[],
  ): Promise<void> {
    const { check, heads, counter, cache } = this;
    const search = new GoneSearch({
      check: {
        ...check,
        listener: {
          finding: (finding: Finding) => {
            cache.keepFinding(finding);
            check.listener.finding(finding);
          },
        },
      },
      heads,
      code,
      commits,
      isCode: (path, at) => this.isCode(path, at),
      counter,
      hasTime: () => this.hasTime(),
      timeLeft: () => this.end - check.now(),
      advance: (commits) => void this.advance(commits),
    });
    const missing = names.map((onPage) => ({ onPage, groups: missingGroups(onPage.name, code) }));
    for (const { onPage, groups } of missing) {
      if (groups.length > 0) {
        search.add(onPage, groups);
      } else {
        cache.settle(onPage);
      }
    }
    await search.run();
    missing.filter(({ onPage }) => !search.wasRemoved(onPage)).forEach(({ onPage }) => cache.settle(onPage));
  }

  /**
   * The configured globs only apply to the repository of the pages. In others, the default rules decide what is code.
   */
  private isCode(path: string, repository: number): boolean {
    const { configuration } = this.check;
    this.rules ??= { own: pathRules(configuration), other: pathRules({ documentation: [], code: [] }) };
    return (repository === 0 ? this.rules.own : this.rules.other).isCode(path);
  }

  private filesOf(tree: Tree | undefined, fits: (path: string) => boolean): Promise<TreeFile[]> {
    return filterWhileTime(
      tree?.files ?? [],
      () => this.hasTime(),
      ({ path }) => fits(path),
    );
  }

  private hasTime(): boolean {
    return this.check.now() < this.end;
  }

  /** Reports the progress, and yields so that a signal to stop can arrive. */
  private async advance(count: number): Promise<void> {
    this.done += count;
    this.check.listener.progress(Math.min(this.done, this.total), this.total);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Reasons for skipping code or history, as opposed to pages. */
const OF_CODE = new Set(['commits', 'files', 'submodule']);

async function headOf(repository: Repository): Promise<string> {
  const head = await repository.resolve('HEAD');
  if (head === undefined) {
    throw new Error('The repository has no commit yet.');
  }
  return head;
}
