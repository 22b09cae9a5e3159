import type { CodeWords } from './codeWords';
import type { NameOnPage } from './collectNames';
import type { CommitInfo, NameKind } from './finding';
import type { DeletionHunk, FileChanges } from './historyReader';
import { hasOwnName } from './ownNames';
import { alike, successorIn, successorOfFile } from './successor';

/** A name that is absent from the code now. */
export interface AbsentName {
  /** The code must have contained one word of each of these groups. */
  missing: readonly (readonly string[])[];
  kind: NameKind;
  isPlain: boolean;
  places: NameOnPage[];
  removed: CommitInfo | undefined;
  /** Whether the lines that this commit removed used it as a name of this code. */
  wasOwn: boolean;
  successor: string | undefined;
  /** By repository: the files in which lines with its words were deleted. */
  paths: Map<number, Set<string>>;
  /** Whether a path was added since the last `takeNew`. */
  isNew: boolean;
}

/** Maximum number of files kept per name; twice as many for files that used it as a name of this code. */
const MAX_PATHS = 40;

/** Maximum number of names that are compared with all words of the code. */
const MAX_COMPARED = 100;

/** The absent names of a check, and what the history says about them. */
export class AbsentNames {
  private readonly names = new Map<string, AbsentName>();
  private readonly byWord = new Map<string, AbsentName[]>();
  private compared = 0;

  /**
   * @param code the current words of each repository
   * @param hasTime whether there is time left to look for successors
   */
  constructor(
    private readonly code: readonly CodeWords[],
    private readonly hasTime: () => boolean,
  ) {}

  add(place: NameOnPage, missing: readonly (readonly string[])[]): void {
    const { kind, name, isPlain } = place.name;
    const key = `${kind} ${name}`;
    const known = this.names.get(key);
    if (known !== undefined) {
      known.places.push(place);
      return;
    }
    const nothing = { removed: undefined, wasOwn: false, successor: undefined, isNew: false };
    const absent: AbsentName = { missing, kind, isPlain, places: [place], paths: new Map(), ...nothing };
    this.names.set(key, absent);
    for (const word of new Set(missing.flat())) {
      const indexed = kind === 'file' ? fileKey(word) : word;
      const list = this.byWord.get(indexed);
      if (list === undefined) {
        this.byWord.set(indexed, [absent]);
      } else {
        list.push(absent);
      }
    }
  }

  get(kind: NameKind, name: string): AbsentName | undefined {
    return this.names.get(`${kind} ${name}`);
  }

  get size(): number {
    return this.names.size;
  }

  all(): Iterable<AbsentName> {
    return this.names.values();
  }

  wants(word: string): boolean {
    return this.byWord.has(word);
  }

  takeHunk(hunk: DeletionHunk, repository: number): void {
    for (const [word, isCode] of hunk.words) {
      for (const name of this.byWord.get(word) ?? []) {
        if (isCode || !name.isPlain) {
          const isOwn = hasOwnName(hunk.path, hunk.deleted, word, name);
          keepPath(name, hunk.path, repository, isOwn);
          // The history starts with the newest commit, so the first removal found is the latest.
          if (name.removed === undefined || (isOwn && !name.wasOwn)) {
            name.removed = hunk.commit;
            name.wasOwn = isOwn;
            name.successor = this.hasTime()
              ? successorIn(word, hunk, (each) => this.code.some((words) => words.has(each)))
              : undefined;
          }
        }
      }
    }
  }

  takeFiles({ commit, removed, added }: FileChanges, repository: number): void {
    for (const path of removed) {
      for (const name of this.byWord.get(fileKey(path)) ?? []) {
        if (name.missing.flat().some((wanted) => isPathOf(path, wanted))) {
          keepPath(name, path, repository, true);
          if (name.removed === undefined) {
            name.removed = commit;
            const kept = added.filter((each) => this.code[repository]?.hasPath(each) === true);
            name.successor = successorOfFile(path, kept);
          }
        }
      }
    }
  }

  /** Returns the names that got a new path since the last call. */
  takeNew(): AbsentName[] {
    const fresh = [...this.names.values()].filter(({ isNew }) => isNew);
    for (const name of fresh) {
      name.isNew = false;
    }
    return fresh;
  }

  /** The name that probably replaced this one, in the notation of the page. */
  successorOf(name: AbsentName, { name: { kind, name: shown } }: NameOnPage): string | null {
    const [word = ''] = name.missing[0] ?? [];
    name.successor ??= name.kind === 'file' || !this.hasTime() ? undefined : this.alikeNow(word);
    const { successor } = name;
    if (successor === undefined) {
      return null;
    }
    if (kind === 'flag') {
      return `--${successor.replaceAll('_', '-')}`;
    }
    return kind === 'keyPath' ? shown.replace(word, () => successor) : successor;
  }

  private alikeNow(word: string): string | undefined {
    if (++this.compared > MAX_COMPARED) {
      return undefined;
    }
    for (const words of this.code) {
      const found = alike(word, words.all());
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }
}

/** Whether a page that names `named` may mean this file: pages of a package name paths relative to its folder. */
export function isPathOf(path: string, named: string): boolean {
  return path === named || path.endsWith(`/${named}`);
}

/** Files are indexed by the last part of their path. */
function fileKey(path: string): string {
  return `/${path.slice(path.lastIndexOf('/') + 1)}`;
}

function keepPath(name: AbsentName, path: string, repository: number, isOwn: boolean): void {
  const paths = name.paths.get(repository) ?? new Set();
  name.paths.set(repository, paths);
  if (paths.size < (isOwn ? 2 * MAX_PATHS : MAX_PATHS) && !paths.has(path)) {
    paths.add(path);
    name.isNew = true;
  }
}
