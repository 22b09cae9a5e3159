import { type AddedNames, checkAddedLines } from './addedLines';
import { CheckCache, type PageContent } from './checkCache';
import { readHistory } from './codeHistory';
import { type CodeNow, scanCode } from './codeNow';
import { namesOf, pageText } from './collectNames';
import type { ChecksConfiguration } from './configuration';
import { DefaultsNow, wantDefault } from './defaultClaims';
import { type DefaultClaim, defaultsOnPage } from './defaultsOnPage';
import type { Coverage } from './finding';
import { type DeadLink, deadLinks } from './linkClaims';
import type { PageLink } from './pages/page';
import { isGenerated, pastLines, pastSentences, readPage } from './pages/readPage';
import { type LostClaim, LostClaims, type MissingName } from './lostClaims';
import {
  addWords,
  missingGroups,
  type NameClaim,
  nameClaims,
  needsRole,
  pastForms,
  toldApart,
  Wants,
} from './nameClaims';
import { PastPages } from './pastPages';
import { ScriptsNow, wantScript } from './scripts';
import { type ScriptClaim, scriptsOnPage } from './scriptsOnPage';
import { pageFormat, type PathRules, pathRules } from './paths';
import {
  type CacheStore,
  type CheckLimits,
  type CheckListener,
  CoverageCounter,
  type DependencyNames,
  type Repository,
  type Tree,
} from './ports';
import { checkMintlify } from './mintlify';
import { unknownNames } from './unknownNames';
import { filterWhileTime } from './whileTime';
import { WordTable } from './wordTable';

export interface PagesCheck {
  /** The repository of the pages, then further ones whose code counts. */
  repositories: readonly [Repository, ...Repository[]];
  configuration: ChecksConfiguration;
  limits: CheckLimits;
  listener: CheckListener;
  /** How long the check has worked, in milliseconds. */
  now: () => number;
  /** The lines that are checked; all pages when undefined. */
  range?: AddedRange | undefined;
  cache?: CacheStore | undefined;
}

/** The lines that were added between two commits. */
export interface AddedRange {
  base: string;
  head: string;
  dependencies: DependencyNames;
}

/** How many pages are read to find out whether one of them said something. */
const MAX_PAGES = 10;

/** How many changes are looked at for a claim: it may have been taken out, put back, and taken out again. */
const MAX_TRIES = 4;

/**
 * Reports what pages say and the code no longer has. A page makes claims; the code has each of them or not; the history
 * says which change took it out; and what some page said just before that change was true and is outdated now.
 */
export async function checkPages(check: PagesCheck): Promise<Coverage> {
  // What a branch adds differs each time.
  const store = check.range === undefined ? check.cache : undefined;
  const cache = await CheckCache.open(store, [check.configuration, check.limits.pageBytes]);
  const coverage = await new Run(check, cache).run();
  await cache.save();
  return coverage;
}

/** How many pages are read between two turns of the event loop. */
const TURN = 20;

/** The share of the work after which all pages were read, and after which the code was read. */
const [READ_PAGES, READ_CODE] = [0.2, 0.4];

/** Maximum number of files named on git's command line. If there are more, git searches all files. */
const MAX_NAMED_FILES = 1_000;

/** What pages say. */
interface PageClaims extends AddedNames {
  links: { link: PageLink; path: string }[];
  defaults: DefaultClaim[];
}

const NO_CLAIMS = { links: [], defaults: [] };

/** What pages say, and the code doesn't have. */
interface Sought {
  missing: readonly MissingName[];
  links: readonly DeadLink[];
  /** The scripts that no manifest has. */
  gone: readonly ScriptClaim[];
  scripts: ScriptsNow;
  /** The defaults that the code contradicts. */
  outdated: readonly DefaultClaim[];
  defaults: DefaultsNow;
}

class Run {
  private readonly counter = new CoverageCounter();
  private readonly rules: { own: PathRules; other: PathRules };
  private readonly end: number;
  private heads: string[] = [];
  private trees: Tree[] = [];
  private code: CodeNow[] = [];

  constructor(
    private readonly check: PagesCheck,
    private readonly cache: CheckCache,
  ) {
    this.end = check.now() + check.limits.timeMs;
    this.rules = {
      own: pathRules(check.configuration),
      // The configured globs are about the repository of the pages.
      other: pathRules({ documentation: [], code: [] }),
    };
  }

  async run(): Promise<Coverage> {
    const { check, counter } = this;
    const { repositories, range } = check;
    this.heads = await Promise.all(
      repositories.map(async (each, at) => (at === 0 ? range?.head : undefined) ?? (await headOf(each))),
    );
    this.trees = await Promise.all(repositories.map((each, at) => each.tree(this.heads[at] ?? '')));
    const pages: PageClaims =
      range === undefined
        ? await this.readPages()
        : {
            ...NO_CLAIMS,
            ...(await checkAddedLines({ ...check, range, tree: this.tree, counter, hasTime: () => this.hasTime() })),
          };
    const lacksHistory = (await Promise.all(repositories.map((each) => each.lacksHistory()))).some(Boolean);
    counter.skip('shallow', lacksHistory ? counter.pages : 0);
    // The word of a script is a part of it.
    const ends = new Set(pages.scripts.map(({ place: { path, line, endColumn } }) => `${path}:${line}:${endColumn}`));
    pages.names = pages.names.filter(({ path, line, endColumn }) => !ends.has(`${path}:${line}:${endColumn}`));
    counter.names = pages.names.length + pages.scripts.length;
    counter.links += pages.links.length;
    counter.defaults = pages.defaults.length;
    if (range === undefined && this.hasTime()) {
      pages.links = await this.checkSites(pages.links);
    }
    if (counter.names + pages.links.length + pages.defaults.length === 0 || (lacksHistory && range === undefined)) {
      return counter.coverage();
    }
    const defaults = new DefaultsNow(pages.defaults);
    const missing = await this.findMissing(nameClaims(pages.names), defaults);
    // The code that was not read could contain the names.
    if (range !== undefined && !this.hasTime()) {
      return counter.coverage();
    }
    const lost = new Set<NameClaim>();
    const paths = this.tree.files.map(({ path }) => path);
    const links = pages.links.length === 0 ? [] : deadLinks(pages.links, paths, await repositories[0].site());
    const outdated = pages.defaults.filter((claim) => defaults.contradicts(claim));
    const scripts = await ScriptsNow.read(pages.scripts.length === 0 ? [] : repositories, this.trees);
    const gone = pages.scripts.filter(({ tool, script }) => !scripts.has(tool, script));
    const isWhole =
      !lacksHistory && (await this.searchHistory({ missing, links, gone, scripts, outdated, defaults }, lost));
    if (range !== undefined) {
      const never = missing.filter(({ claim }) => !lost.has(claim));
      const ids = this.tree.files.filter(({ path }) => this.isCode(path, 0)).map(({ id }) => id);
      const search = { code: this.code, texts: () => repositories[0].contents(ids), isWhole, ...range };
      (await unknownNames(never, pages.isNew, search)).forEach((finding) => check.listener.finding(finding));
    }
    return counter.coverage();
  }

  private get tree(): Tree {
    return this.trees[0] ?? { files: [], submodules: 0, isCut: false };
  }

  /** Reads what all pages in the working tree say. */
  private async readPages(): Promise<PageClaims> {
    const { check, counter, rules } = this;
    const { limits, configuration } = check;
    const pages = await filterWhileTime(
      this.tree.files,
      () => this.hasTime(),
      ({ path }) => {
        const isPage = rules.own.isPage(path);
        counter.leftOut += !isPage && rules.own.isDocument(path) ? 1 : 0;
        return isPage;
      },
    );
    const chosen = pages.slice(0, limits.pages);
    counter.skip('files', pages.length - chosen.length);
    counter.skip('time', this.hasTime() ? 0 : 1);
    const ignored = new Set(configuration.ignore.map(({ name }) => name));
    const claims: PageClaims = { names: [], scripts: [], links: [], defaults: [], isNew: () => false };
    for (let at = 0; at < chosen.length; at += TURN) {
      if (!this.hasTime()) {
        counter.skip('time', chosen.length - at);
        break;
      }
      const some = chosen.slice(at, at + TURN);
      const contents = await Promise.all(
        some.map(({ path }) => check.repositories[0].read(path, 2 * limits.pageBytes)),
      );
      for (const [index, { path }] of some.entries()) {
        const content = contents[index];
        const text = content === undefined ? undefined : pageText(content, counter, limits);
        if (content !== undefined && text !== undefined) {
          counter.pages++;
          const said = this.cache.page(path, content, () => pageContent(text, path, (name) => ignored.has(name)));
          claims.names.push(...said.names);
          claims.scripts.push(...said.scripts);
          claims.links.push(...said.links.map((link) => ({ link, path })));
          claims.defaults.push(...said.defaults);
        }
      }
      this.report(READ_PAGES * (at / chosen.length));
    }
    return claims;
  }

  /** Reports the broken links of Mintlify sites, and returns the other links. */
  private async checkSites(links: PageClaims['links']): Promise<PageClaims['links']> {
    const [own] = this.check.repositories;
    const { findings } = await checkMintlify(this.tree.files, (ids) => own.contents(ids));
    const ignored = new Set(this.check.configuration.ignore.map(({ name }) => name));
    const found = new Set<string>();
    for (const finding of findings) {
      const { path, line, column } = finding.place;
      if (!ignored.has(finding.target) && (this.rules.own.isPage(path) || pageFormat(path) === undefined)) {
        found.add(`${path}:${line}:${column}`);
        this.check.listener.finding(finding);
      }
    }
    return links.filter(({ link, path }) => !found.has(`${path}:${link.line}:${link.column}`));
  }

  /** Looks the names up in the code, and returns those that are missing. */
  private async findMissing(claims: readonly NameClaim[], defaults: DefaultsNow): Promise<MissingName[]> {
    const { check, counter } = this;
    const table = new WordTable();
    const wanted = new Map<number, number>();
    claims.forEach((claim) => addWords(claim, table, wanted));
    for (const word of defaults.words) {
      table.add(word);
    }
    for (const [at, repository] of check.repositories.entries()) {
      const scan = {
        limits: check.limits,
        isCode: (path: string) => this.isCode(path, at),
        wanted: (word: number) => wanted.get(word) ?? 0,
        onUse: (word: number, text: Buffer, start: number, end: number) =>
          defaults.add(table.words[word] ?? '', text, start, end),
        hasTime: () => this.hasTime(),
        counter,
        read: () => this.report(READ_PAGES),
      };
      const tree = this.trees[at];
      this.code.push(...(tree === undefined ? [] : [await scanCode(repository, tree, table, scan)]));
    }
    const missing = claims.flatMap((claim): MissingName[] => {
      const groups = missingGroups(claim, this.code);
      return groups.length === 0 ? [] : [{ claim, groups }];
    });
    const isTold = toldApart(claims, new Set(missing.map(({ claim }) => claim)));
    return this.withoutUnread(missing.filter(({ claim }) => !needsRole(claim) || isTold(claim)));
  }

  /** Leaves out names that occur in files that were not read. */
  private async withoutUnread(missing: readonly MissingName[]): Promise<MissingName[]> {
    const words = [
      ...new Set(missing.flatMap(({ claim, groups }) => (claim.name.kind === 'file' ? [] : groups.flat()))),
    ];
    const present = new Set<string>();
    for (const [at, repository] of words.length === 0 ? [] : this.check.repositories.entries()) {
      const { unread } = this.code[at] ?? { unread: [] };
      if (unread.length > 0) {
        const paths = unread.length > MAX_NAMED_FILES ? [] : unread;
        const found = await repository.grep(this.heads[at] ?? '', words, { words: true, paths });
        found.forEach(({ path, text }) => this.isCode(path, at) && present.add(text));
      }
    }
    return missing.filter(({ groups }) => !groups.some((group) => group.some((word) => present.has(word))));
  }

  /**
   * Searches the history for what pages say and the code doesn't have, and reports what it had once.
   *
   * @param lost gets the names that the code had once
   * @returns whether the whole history was read
   */
  private async searchHistory(sought: Sought, lost: Set<NameClaim>): Promise<boolean> {
    const { check, counter } = this;
    const { missing, links, gone, outdated, defaults } = sought;
    if (missing.length + links.length + gone.length + outdated.length === 0) {
      return true;
    }
    const wants = new Wants(new WordTable());
    const names = missing.map(({ claim, groups }) => ({
      claim,
      groups: groups.map((group) =>
        claim.name.kind === 'file'
          ? []
          : pastForms(claim.name, group).map((word) => ({ word, want: wants.add(word, claim.roles) })),
      ),
    }));
    const old = outdated.map((claim) => ({
      claim,
      wants: wantDefault(claim, wants.table).map((want) => wants.put(want)),
    }));
    const removed = gone.map((claim) => ({ claim, want: wants.put(wantScript(claim, wants.table)) }));
    const claims = new LostClaims({
      repositories: check.repositories,
      report: (finding) => check.listener.finding(finding),
      code: this.code,
      files: this.tree.files,
      isCode: (path, repository) => this.isCode(path, repository),
    });
    let isWhole = true;
    for (const [index, repository] of check.repositories.entries()) {
      const head = this.heads[index] ?? '';
      const left = (await repository.countCommits(head)) - check.limits.commits;
      counter.skip('commits', left);
      const isRead = await readHistory({
        ...{ repository, index, head, table: wants.table, wants: wants.all, maxCommits: check.limits.commits },
        known: this.cache.versionsOf(index),
        isCode: (path) => this.isCode(path, index),
        hasTime: () => this.hasTime(),
        onChange: (change) => claims.add(change, index),
        onProgress: (share) => this.report(READ_CODE + (1 - READ_CODE) * share),
      });
      counter.skip('time', isRead ? 0 : 1);
      isWhole &&= isRead && left <= 0;
    }
    await this.reportLost([
      ...(await claims.names(names, lost)),
      ...claims.namedFiles(missing, lost),
      ...claims.links(links),
      ...(await claims.scripts(removed, sought.scripts)),
      ...(await claims.defaults(old, defaults)),
    ]);
    return isWhole;
  }

  /** Reports the claims that some page made just before the code lost what they are about. */
  private async reportLost(claims: readonly LostClaim[]): Promise<void> {
    if (this.check.range !== undefined) {
      // What was added was written after the code changed.
      for (const { losses, report } of claims) {
        losses.slice(0, 1).forEach(report);
      }
      return;
    }
    const pages = new PastPages(this.check.repositories[0], (path) => this.rules.own.isPage(path), this.cache.texts);
    let open = claims.filter(({ losses }) => losses.length > 0);
    for (let at = 0; at < MAX_TRIES && open.length > 0; at++) {
      const tried = open.flatMap((claim) => {
        const loss = claim.losses[at];
        return loss === undefined ? [] : [{ claim, loss }];
      });
      const found = await pages.find(tried.map(({ claim: { text }, loss }) => ({ text, loss })));
      open = [];
      for (const [index, { claim, loss }] of tried.entries()) {
        const had = found[index] ?? [];
        if (claim.isSaid === undefined ? had.length > 0 : await this.isSaidOn(had, claim.isSaid)) {
          claim.report(loss);
        } else {
          open.push(claim);
        }
      }
    }
  }

  /** @param pages as `COMMIT:PATH` */
  private async isSaidOn(pages: readonly string[], isSaid: (page: string, path: string) => boolean): Promise<boolean> {
    const some = pages.slice(0, MAX_PAGES);
    let at = 0;
    for await (const content of this.check.repositories[0].contents(some)) {
      const path = some[at++]?.replace(/^[^:]*:/, '') ?? '';
      if (content !== undefined && isSaid(content.toString('utf8'), path)) {
        return true;
      }
    }
    return false;
  }

  private isCode(path: string, repository: number): boolean {
    return (repository === 0 ? this.rules.own : this.rules.other).isCode(path);
  }

  private hasTime(): boolean {
    return this.check.now() < this.end;
  }

  /** @param share how much of the check is done, from 0 to 1 */
  private report(share: number): void {
    this.check.listener.progress(Math.round(1_000 * share), 1_000);
  }
}

/** What a page says, without what it says of the past. */
function pageContent(text: string, path: string, isIgnored: (name: string) => boolean): PageContent {
  const format = pageFormat(path);
  if (format === undefined || isGenerated(text)) {
    return { names: [], links: [], defaults: [], scripts: [] };
  }
  const page = readPage(text, format);
  const isPast = pastLines(page);
  const isOfThePast = pastSentences(page);
  return {
    names: namesOf(page, path, isIgnored),
    links: page.links.filter((link) => !isIgnored(link.target.trim()) && !isPast(link.line) && !isOfThePast(link)),
    defaults: defaultsOnPage(page, path).filter(({ name }) => !isIgnored(name)),
    scripts: scriptsOnPage(page, path).filter(({ shown }) => !isIgnored(shown)),
  };
}

async function headOf(repository: Repository): Promise<string> {
  const head = await repository.resolve('HEAD');
  if (head === undefined) {
    throw new Error('The repository has no commit yet.');
  }
  return head;
}
