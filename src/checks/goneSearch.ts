import { type AbsentName, AbsentNames, isPathOf, PastCode } from './absentNames';
import type { CodeWords } from './codeWords';
import type { NameOnPage } from './collectNames';
import type { Finding } from './finding';
import type { GoneCheck } from './goneNames';
import { HistoryReader } from './historyReader';
import type { CheckListener, CoverageCounter, LineCommit, Repository } from './ports';

interface Parts {
  check: Pick<GoneCheck, 'repositories' | 'limits' | 'now'> & { listener: Pick<CheckListener, 'finding'> };
  /** The commit and the words of each repository, and which of its files are code. */
  heads: readonly string[];
  code: readonly CodeWords[];
  /** How many commits each repository has. */
  commits: readonly number[];
  isCode: (path: string, repository: number) => boolean;
  counter: CoverageCounter;
  hasTime: () => boolean;
  /** In milliseconds. */
  timeLeft: () => number;
  /** Called with the number of commits that were read. */
  advance: (commits: number) => void;
}

/** How long the history is read before looking at what was found in it, in milliseconds. */
const BATCH_MS = 400;
/** The share of the remaining time for reading the history. The rest is for looking at what was found in it. */
const HISTORY_SHARE = 0.8;
/** How many pages are blamed at once; each needs a process. */
const BLAMES = 3;
/** Maximum number of files named on git's command line. If there are more, git searches all files. */
const MAX_NAMED_FILES = 1_000;

interface Candidate {
  name: AbsentName;
  place: NameOnPage;
  written: LineCommit;
}

/** Searches the history once for absent names, and reports those that were there when their line was written. */
export class GoneSearch {
  private readonly names: AbsentNames;
  private readonly past: PastCode;
  /** By page and line. */
  private readonly blamed = new Map<string, Map<number, LineCommit>>();
  private readonly reported = new Set<NameOnPage>();

  constructor(private readonly parts: Parts) {
    this.names = new AbsentNames(parts.code, parts.hasTime);
    this.past = new PastCode(parts.check.repositories, parts.counter);
  }

  add(place: NameOnPage, missing: readonly (readonly string[])[]): void {
    this.names.add(place, missing);
  }

  /** Whether the name was ever removed from the code, in the history that was read. */
  wasRemoved({ name: { kind, name } }: NameOnPage): boolean {
    return this.names.get(kind, name)?.removed !== undefined;
  }

  async run(): Promise<void> {
    if (this.names.size === 0) {
      return;
    }
    for (const [index, repository] of this.parts.check.repositories.entries()) {
      if (this.parts.hasTime()) {
        await this.readHistory(repository, index);
      }
    }
    await this.lookAtPlaces();
  }

  private async readHistory(repository: Repository, index: number): Promise<void> {
    const { check, counter, hasTime, timeLeft, advance, heads, isCode } = this.parts;
    let commits = 0;
    let reported = 0;
    const reader = new HistoryReader({
      wants: (word) => this.names.wants(word),
      hunk: (hunk) => {
        if (isCode(hunk.path, index)) {
          this.names.takeHunk(hunk, index);
        }
      },
      files: (changes) => this.names.takeFiles(changes, index),
      commit: () => {
        commits++;
      },
    });
    let last = check.now();
    const limits = {
      commits: check.limits.commits,
      bytes: check.limits.historyBytes,
      timeMs: HISTORY_SHARE * timeLeft(),
    };
    let unread = 0;
    const onCut = (reason: 'commits' | 'time'): void => {
      counter.skip('time', reason === 'time' ? 1 : 0);
      unread = Math.max(1, (this.parts.commits[index] ?? 0) - commits);
    };
    for await (const text of repository.history(heads[index] ?? '', limits, onCut)) {
      reader.push(text);
      if (check.now() - last > BATCH_MS) {
        advance(commits - reported);
        reported = commits;
        await this.lookAtPlaces();
        last = check.now();
      }
      if (!hasTime()) {
        break;
      }
    }
    reader.end();
    counter.skip('time', hasTime() ? 0 : 1);
    advance(commits - reported);
    counter.skip('commits', unread);
  }

  /** Checks whether removed names were still in the code when the lines that mention them were written. */
  private async lookAtPlaces(): Promise<void> {
    const places = this.names.takeNew().flatMap((name) => name.places.map((place) => ({ name, place })));
    const open = places.filter(
      ({ name, place }) => !this.reported.has(place) && (name.kind !== 'file' || mayMeanFile(name, place)),
    );
    await this.blame(open.map(({ place }) => place));
    const written = open.flatMap((each): Candidate[] => {
      const commit = this.blamed.get(each.place.path)?.get(each.place.line);
      return commit === undefined ? [] : [{ ...each, written: commit }];
    });
    await this.past.search(written);
    const gone = written.filter((each) => this.past.had(each.name, each.written.commit));
    for (const candidate of await this.withoutPresent(gone)) {
      this.reported.add(candidate.place);
      this.parts.check.listener.finding(this.findingOf(candidate));
    }
  }

  private async blame(places: readonly NameOnPage[]): Promise<void> {
    const { check, counter, hasTime } = this.parts;
    const queue = [...Map.groupBy(places, ({ path }) => path)].flatMap(([path, here]) => {
      const known = this.blamed.get(path);
      const wanted = [...new Set(here.map(({ line }) => line))].filter((line) => known?.has(line) !== true);
      return wanted.length === 0 ? [] : [{ path, wanted }];
    });
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        if (hasTime()) {
          const found = await check.repositories[0].blame(next.path, next.wanted, undefined);
          this.blamed.set(next.path, new Map([...(this.blamed.get(next.path) ?? []), ...found]));
        } else {
          counter.skip('time');
        }
      }
    };
    await Promise.all(Array.from({ length: BLAMES }, work));
  }

  /** Leaves out names that occur in files that the first pass did not read. */
  private async withoutPresent(gone: readonly Candidate[]): Promise<Candidate[]> {
    const { check, code, heads } = this.parts;
    const words = [
      ...new Set(gone.filter(({ name }) => name.kind !== 'file').flatMap(({ name }) => name.missing.flat())),
    ];
    const present = new Set<string>();
    for (const [index, repository] of words.length === 0 ? [] : check.repositories.entries()) {
      const { isComplete = true, unread = [] } = code[index] ?? {};
      if (!isComplete) {
        const paths = unread.length > MAX_NAMED_FILES ? [] : unread;
        (await repository.find(heads[index] ?? '', words, paths)).forEach((word) => present.add(word));
      }
    }
    return gone.filter(({ name }) => !name.missing.some((group) => group.some((word) => present.has(word))));
  }

  private findingOf({ name, place }: Candidate): Finding {
    const { path, line, column, endColumn } = place;
    return {
      rule: 'gone-name',
      place: { path, line, column, endColumn },
      name: place.name.name,
      kind: place.name.kind,
      certainty: 'certain',
      evidence: name.removed ?? null,
      successor: this.names.successorOf(name, place),
    };
  }
}

/**
 * Whether a page may mean a file that was removed: pages name files from the top of the repository, or from a folder
 * that the page is in. Other paths, and names without a folder, mostly mean files of the reader.
 */
function mayMeanFile({ missing, paths }: AbsentName, { path: page }: NameOnPage): boolean {
  const [[named = ''] = []] = missing;
  const isNamed = (path: string): boolean =>
    isPathOf(path, named) && page.startsWith(path.slice(0, path.length - named.length));
  return named.includes('/') && [...paths.values()].some((removed) => [...removed].some(isNamed));
}
