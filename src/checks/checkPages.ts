import { type AddedNames, checkAddedLines } from './addedLines';
import { CheckCache, type PageContent } from './checkCache';
import { type Loss, readHistory, type Want } from './codeHistory';
import { type CodeNow, scanCode } from './codeNow';
import { type NameOnPage, namesOf, pageText } from './collectNames';
import type { ChecksConfiguration } from './configuration';
import { DefaultsNow, wantDefault } from './defaultClaims';
import { type DefaultClaim, defaultsOnPage } from './defaultsOnPage';
import type { Coverage } from './finding';
import { type DeadLink, deadLinks, evidenceOfFile, fileOf, goneLink } from './linkClaims';
import type { PageLink } from './pages/page';
import { isGenerated, pastLines, pastSentences, readPage } from './pages/readPage';
import { Losses } from './losses';
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
import type { ClassifiedName } from './names';
import { isOtherCode } from './ownNames';
import { PastPages } from './pastPages';
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
import { isPathOf, RemovedFiles } from './removedFiles';
import { isOwnName, looseName, looselyThere } from './unknownNames';
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

/** Something that pages say, and that the code no longer has. */
interface LostClaim {
  /** What a page must have said before the code lost it. */
  text: string;
  /** The changes that took it out of the code, newest first. */
  losses: readonly Loss[];
  report: (loss: Loss) => void;
  /** Whether a page that has the text says it; otherwise, the text suffices. */
  isSaid?: (page: string, path: string) => boolean;
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

/** Environment variables of platforms, which libraries read without a trace in the code. */
const VARIABLE_OF_OTHERS = /^(?:AWS|AZURE|CI|DOCKER|GCP|GITHUB|GITLAB|GOOGLE|HTTPS?|JAVA|KUBE|NO|NODE|NPM|PYTHON|XDG)_/;

/** How many files a commit removes at least that may have moved them to another repository. */
const MANY_FILES = 10;

/** What the code depends on. */
const LIST_OF_PACKAGES =
  /(?:^|\/)(?:go\.mod|gemfile|[^/]+\.gemspec|cargo\.toml|package\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|pom\.xml|[^/]+\.gradle(?:\.kts)?|[^/]+\.versions\.toml|[^/]+\.csproj|composer\.json)$/i;

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
  /** The defaults that the code contradicts. */
  outdated: readonly DefaultClaim[];
  defaults: DefaultsNow;
}

/** A name that the code doesn't have: the words of each missing group. */
interface MissingName {
  claim: NameClaim;
  groups: string[][];
}

/** The same, with what is looked for in the history. */
interface SoughtName {
  claim: NameClaim;
  groups: { word: string; want: Want }[][];
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
    counter.names = pages.names.length;
    counter.links += pages.links.length;
    counter.defaults = pages.defaults.length;
    if (range === undefined && this.hasTime()) {
      pages.links = await this.checkSites(pages.links);
    }
    const count = pages.names.length + pages.links.length + pages.defaults.length;
    if (count === 0 || (lacksHistory && range === undefined)) {
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
    const isWhole = !lacksHistory && (await this.searchHistory({ missing, links, outdated, defaults }, lost));
    if (range !== undefined) {
      const never = missing.filter(({ claim }) => !lost.has(claim));
      await this.reportUnknown(range, never, pages.isNew, isWhole);
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
    const claims: PageClaims = { names: [], links: [], defaults: [], isNew: () => false };
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
  private async searchHistory({ missing, links, outdated, defaults }: Sought, lost: Set<NameClaim>): Promise<boolean> {
    const { check, counter } = this;
    if (missing.length + links.length + outdated.length === 0) {
      return true;
    }
    const wants = new Wants(new WordTable());
    const sought = missing.map(({ claim, groups }) => ({
      claim,
      groups: groups.map((group) =>
        claim.name.kind === 'file'
          ? []
          : pastForms(claim.name, group).map((word) => ({ word, want: wants.add(word, claim.roles) })),
      ),
    }));
    const old = outdated.map((claim) => ({ claim, wants: wantDefault(claim, wants.table) }));
    const all = [...wants.all, ...old.flatMap((each) => each.wants)];
    const removed = new RemovedFiles();
    /** The commits that may have moved files to a package: they changed the packages, or removed many files. */
    const withPackages = new Set<string>();
    let isWhole = true;
    for (const [index, repository] of check.repositories.entries()) {
      const head = this.heads[index] ?? '';
      const left = (await repository.countCommits(head)) - check.limits.commits;
      counter.skip('commits', left);
      const isRead = await readHistory({
        ...{
          repository,
          index,
          head,
          table: wants.table,
          wants: all,
          known: this.cache.versionsOf(index),
          maxCommits: check.limits.commits,
        },
        isCode: (path) => this.isCode(path, index),
        hasTime: () => this.hasTime(),
        onChange: (change) => {
          removed.add(change, index);
          const gone = change.files.filter(({ path, after }) => after === undefined && this.isCode(path, index));
          if (gone.length >= MANY_FILES || change.files.some(({ path }) => LIST_OF_PACKAGES.test(path))) {
            withPackages.add(change.commit.commit);
          }
        },
        onProgress: (share) => this.report(READ_CODE + (1 - READ_CODE) * share),
      });
      counter.skip('time', isRead ? 0 : 1);
      isWhole &&= isRead && left <= 0;
    }
    const past = new Losses(check.repositories);
    await this.reportLost([
      ...(await this.lostNames(sought, past, lost, withPackages)),
      ...this.lostFiles(missing, removed, lost),
      ...this.lostLinks(links, removed),
      ...(await this.changedDefaults(old, past, defaults)),
    ]);
    return isWhole;
  }

  /** The names that the code had as its own, and no longer has. */
  private async lostNames(
    sought: readonly SoughtName[],
    past: Losses,
    lost: Set<NameClaim>,
    withPackages: ReadonlySet<string>,
  ): Promise<LostClaim[]> {
    const found = sought.filter(
      ({ groups }) => groups.length > 0 && groups.every((group) => group.some(({ want }) => want.losses.length > 0)),
    );
    const losses = found.flatMap(({ groups }) => groups.flat().flatMap(({ want }) => want.losses));
    await past.load(losses);
    return found.flatMap(({ claim, groups }) => {
      lost.add(claim);
      const own = groups.map((group) =>
        past.own(claim.name, new Map(group.map(({ word, want }) => [word, want.losses]))),
      );
      const isOwn = own.every((each) => each.length > 0);
      if (!isOwn) {
        return [];
      }
      // All parts of a name were there only before the first of them was lost.
      const [first = []] = own.toSorted(
        (one, other) => (one[0]?.loss.commit.date ?? 0) - (other[0]?.loss.commit.date ?? 0),
      );
      const report = (loss: Loss): void => {
        const word = first.find((each) => each.loss === loss)?.word ?? '';
        const isThere = (each: string): boolean => this.code.some((code) => code.mayHave(each));
        const { evidence, successor } = past.explain(loss, word, isThere);
        // The file may have moved to a package that the code uses now.
        const { commit } = loss.commit;
        const isChanged = first.some((each) => each.loss.commit.commit === commit && each.loss.after !== undefined);
        const hasMoved = withPackages.has(commit) && !isChanged;
        const certainty = hasMoved || VARIABLE_OF_OTHERS.test(claim.name.name) ? 'likely' : 'certain';
        for (const { path, line, column, endColumn, name } of claim.places) {
          this.check.listener.finding({
            ...{ rule: 'gone-name', place: { path, line, column, endColumn }, name: name.name, kind: name.kind },
            ...{ certainty, evidence, successor: successorShown(successor, word, name) },
          });
        }
      };
      return [{ text: claim.name.name, losses: byCommit(first.map(({ loss }) => loss)), report }];
    });
  }

  private lostFiles(missing: readonly MissingName[], removed: RemovedFiles, lost: Set<NameClaim>): LostClaim[] {
    return missing.flatMap(({ claim, groups: [[named = ''] = []] }) => {
      const files =
        claim.name.kind === 'file' ? removed.of(named) : isPackage(claim.name) ? removed.of(claim.name.name) : [];
      if (files.length > 0) {
        lost.add(claim);
      }
      return claim.places.map((place) => {
        // Pages name files of the reader's project, too, which the repository may have for its own documentation.
        const meant = files.filter(
          ({ loss }) =>
            claim.name.kind !== 'file' ||
            (this.isCode(loss.path, loss.repository) &&
              !isOtherCode(loss.path) &&
              mayMean(loss.path, named, place.path)),
        );
        const report = (loss: Loss): void => {
          const file = meant.find((each) => each.loss === loss);
          const successor = file && removed.movedTo(file, (path) => this.code.some((code) => code.hasPath(path)));
          const { path, line, column, endColumn, name } = place;
          this.check.listener.finding({
            ...{ rule: 'gone-name', place: { path, line, column, endColumn }, name: name.name, kind: name.kind },
            ...{ certainty: 'certain', evidence: evidenceOfFile(loss), successor: successor ?? null },
          });
        };
        return { text: claim.name.name, losses: meant.map(({ loss }) => loss), report };
      });
    });
  }

  private lostLinks(links: readonly DeadLink[], removed: RemovedFiles): LostClaim[] {
    const isThere = (path: string): boolean => this.tree.files.some((file) => file.path === path);
    return links.map((link) => ({
      text: fileOf(link.link),
      losses: removed.target(link.target).map(({ loss }) => loss),
      report: (loss) => this.check.listener.finding(goneLink(link, loss, removed, isThere)),
    }));
  }

  /** The defaults that commits replaced in a definition by one that is still there. */
  private async changedDefaults(
    old: readonly { claim: DefaultClaim; wants: Want[] }[],
    past: Losses,
    defaults: DefaultsNow,
  ): Promise<LostClaim[]> {
    await past.load(old.flatMap(({ wants }) => wants.flatMap(({ losses }) => losses)));
    return old.flatMap(({ claim, wants }) => {
      const changes = wants
        .flatMap((want) => want.losses)
        .flatMap((loss) => past.changedDefault(loss, claim, defaults.of(claim.name)) ?? [])
        .toSorted((one, other) => other.evidence.commit.date - one.evidence.commit.date);
      const { name, kind, place, shown } = claim;
      const report = (loss: Loss): void => {
        const change = changes.find((each) => each.loss === loss);
        if (change !== undefined) {
          const { evidence, current } = change;
          const found = { name, kind, place, documented: shown, current, evidence };
          this.check.listener.finding({ rule: 'changed-default', ...found, certainty: 'certain' });
        }
      };
      const isSaid = (page: string, path: string): boolean => saysDefault(page, path, claim);
      return [{ text: name, losses: changes.map(({ loss }) => loss), report, isSaid }];
    });
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

  /** Reports names on added lines that were never in the code. */
  private async reportUnknown(
    { dependencies }: AddedRange,
    never: readonly MissingName[],
    isNew: (name: NameOnPage) => boolean,
    isWhole: boolean,
  ): Promise<void> {
    const own = never.filter(
      ({ claim }) => !needsRole(claim) && !claim.name.isPlain && isOwnName(claim.name, this.code),
    );
    const words = new Set(own.filter(({ claim }) => claim.name.kind !== 'file').flatMap(({ groups }) => groups.flat()));
    if (own.length === 0) {
      return;
    }
    const ids = this.tree.files.filter(({ path }) => this.isCode(path, 0)).map(({ id }) => id);
    const there = await looselyThere(
      new Set([...words].map(looseName)),
      this.check.repositories[0].contents(words.size === 0 ? [] : ids),
    );
    const declared = words.size === 0 ? new Set<string>() : await dependencies.find(words);
    const isKnown = (group: readonly string[]): boolean =>
      group.some((word) => declared.has(word) || there.has(looseName(word)));
    const certainty = isWhole && dependencies.isComplete() ? 'certain' : 'likely';
    for (const { claim } of own.filter((each) => each.groups.some((group) => !isKnown(group)))) {
      for (const place of claim.places.filter(isNew)) {
        const { path, line, column, endColumn, name } = place;
        this.check.listener.finding({
          ...{ rule: 'unknown-name', place: { path, line, column, endColumn }, name: name.name, kind: name.kind },
          certainty,
        });
      }
    }
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
    return { names: [], links: [], defaults: [] };
  }
  const page = readPage(text, format);
  const isPast = pastLines(page);
  const isOfThePast = pastSentences(page);
  return {
    names: namesOf(page, path, isIgnored),
    links: page.links.filter((link) => !isIgnored(link.target.trim()) && !isPast(link.line) && !isOfThePast(link)),
    defaults: defaultsOnPage(page, path).filter(({ name }) => !isIgnored(name)),
  };
}

async function headOf(repository: Repository): Promise<string> {
  const head = await repository.resolve('HEAD');
  if (head === undefined) {
    throw new Error('The repository has no commit yet.');
  }
  return head;
}

/** The first loss of each commit. */
function byCommit(losses: readonly Loss[]): Loss[] {
  return [...new Map(losses.toReversed().map((loss) => [loss.commit.commit, loss])).values()].toReversed();
}

function saysDefault(text: string, path: string, { name, literal }: DefaultClaim): boolean {
  const format = pageFormat(path);
  const page = format && readPage(text, format);
  return (
    page !== undefined && defaultsOnPage(page, path).some((each) => each.name === name && each.literal === literal)
  );
}

/** Whether a name may be the folder of a package in a repository of several: `retry-client-core`. */
function isPackage({ kind, name }: ClassifiedName): boolean {
  return kind === 'identifier' && name.split('-').length > 2;
}

/**
 * Whether a page may mean a file that was removed: pages name files from the top of the repository, or from a folder
 * that the page is in. Other paths, and names without a folder, mostly mean files of the reader.
 */
function mayMean(removed: string, named: string, page: string): boolean {
  return named.includes('/') && isPathOf(removed, named) && page.startsWith(removed.slice(0, -named.length));
}

/** The successor of a word, in the notation of the page. */
function successorShown(
  successor: string | undefined,
  word: string,
  { kind, name }: Pick<ClassifiedName, 'kind' | 'name'>,
): string | null {
  if (successor === undefined) {
    return null;
  }
  if (kind === 'flag') {
    return `--${successor.replaceAll('_', '-')}`;
  }
  return kind === 'keyPath' ? name.replace(word, () => successor) : successor;
}
