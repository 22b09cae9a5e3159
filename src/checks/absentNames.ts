import { MAX_CODE_FILE } from '../base/limits';
import type { CodeWords } from './codeWords';
import type { NameOnPage } from './collectNames';
import { type Evidence, MAX_EVIDENCE_LINE, type NameKind } from './finding';
import { alike, type DeletionHunk, type FileChanges, successorIn, successorOfFile } from './historyReader';
import { wordsOf } from './names';
import { hasOwnName, isDefined, splitImports } from './ownNames';
import type { CoverageCounter, LineCommit, Repository } from './ports';

/** A name that is absent from the code now. */
export interface AbsentName {
  /** The code must have contained one word of each of these groups. */
  missing: readonly (readonly string[])[];
  kind: NameKind;
  isPlain: boolean;
  places: NameOnPage[];
  removed: Evidence | undefined;
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
            name.wasOwn = isOwn;
            name.successor = this.hasTime()
              ? successorIn(word, hunk, (each) => this.code.some((words) => words.has(each)))
              : undefined;
            name.removed = evidenceIn(hunk, repository, word, name.successor);
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
            name.removed = { commit, repository, path, line: null, before: '', after: null };
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

function evidenceIn(
  { commit, path, deleted, added }: DeletionHunk,
  repository: number,
  word: string,
  successor: string | undefined,
): Evidence {
  const shown = (line: string): string => line.trim().slice(0, MAX_EVIDENCE_LINE);
  const before = shown(deleted.find((line) => line.includes(word)) ?? '');
  const after = successor === undefined ? undefined : added.find((line) => line.includes(successor));
  return { commit, repository, path, line: null, before, after: after === undefined ? null : shown(after) };
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

/** Maximum number of past versions of files that are read. */
const MAX_FILES = 20_000;

/** A file as it was when a line was written, and the names that may have been in it. */
interface PastFile {
  object: string;
  /** The commit that wrote the line, in the repository of the pages. */
  written: string;
  path: string;
  names: Set<AbsentName>;
}

/** The words that were names of the code itself, that were imported, and that were defined. */
type PastWords = Record<'own' | 'imported' | 'defined', Set<string>>;

/**
 * Finds out which absent names were in the code when lines were written. Reads only files from which lines with these
 * names were deleted later. That is enough: no file has such a name now, so each file that had it is among them.
 */
export class PastCode {
  /** By commit in the repository of the pages. */
  private readonly words = new Map<string, PastWords>();
  private readonly read = new Map<AbsentName, Set<string>>();
  private readonly commits = new Map<string, Promise<string | undefined>>();
  private files = 0;

  constructor(
    private readonly repositories: readonly Repository[],
    private readonly counter: CoverageCounter,
  ) {}

  async search(wanted: readonly { name: AbsentName; written: LineCommit }[]): Promise<void> {
    for (const [index, repository] of this.repositories.entries()) {
      const files = await this.unread(wanted, index);
      const allowed = files.slice(0, Math.max(0, MAX_FILES - this.files));
      this.counter.skip('commits', files.length - allowed.length);
      this.files += allowed.length;
      if (allowed.length > 0) {
        let at = 0;
        for await (const content of repository.contents(allowed.map(({ object }) => object))) {
          const file = allowed[at++];
          if (content !== undefined && file !== undefined) {
            this.collect(file, Buffer.from(content).subarray(0, MAX_CODE_FILE).toString('latin1'));
          }
        }
      }
    }
  }

  had(name: AbsentName, written: string): boolean {
    const words = this.words.get(written);
    // A name that is imported but not defined here belongs to other software.
    const had = (word: string): boolean =>
      words?.own.has(word) === true && (!words.imported.has(word) || words.defined.has(word));
    return name.missing.every((group) => pastForms(name.kind, group).some(had));
  }

  private async unread(
    wanted: readonly { name: AbsentName; written: LineCommit }[],
    repository: number,
  ): Promise<PastFile[]> {
    const files = new Map<string, PastFile>();
    for (const { name, written } of wanted) {
      for (const path of name.paths.get(repository) ?? []) {
        const commit = await this.commitOf(repository, written);
        const object = `${commit ?? ''}:${path}`;
        const key = `${repository} ${written.commit} ${object}`;
        const read = this.read.get(name) ?? new Set();
        this.read.set(name, read);
        if (commit !== undefined && !read.has(key)) {
          read.add(key);
          const file = files.get(key) ?? { object, written: written.commit, path, names: new Set() };
          file.names.add(name);
          files.set(key, file);
        }
      }
    }
    return [...files.values()];
  }

  /** The commit to read: in another repository, its newest one at that time. */
  private commitOf(repository: number, { commit, date }: LineCommit): Promise<string | undefined> {
    const key = `${repository} ${date}`;
    const known = this.commits.get(key);
    const found = repository === 0 ? Promise.resolve(commit) : (known ?? this.repositories[repository]?.commitAt(date));
    if (found !== undefined && repository > 0) {
      this.commits.set(key, found);
    }
    return found ?? Promise.resolve(undefined);
  }

  private collect({ written, path, names }: PastFile, text: string): void {
    const past = this.words.get(written) ?? { own: new Set(), imported: new Set(), defined: new Set() };
    this.words.set(written, past);
    const words = new Set(wordsOf(text));
    const { imports, code } = splitImports(isListOfPackages(path, text) ? [] : text.split('\n'));
    for (const name of names) {
      for (const word of name.missing.flat()) {
        if (name.kind === 'file') {
          if (isPathOf(path, word)) {
            past.own.add(word);
          }
        } else if (words.has(word)) {
          const isOwn = hasOwnName(path, code, word, name);
          keepIf(past.own, word, isOwn);
          keepIf(
            past.imported,
            word,
            imports.some((line) => line.includes(word) && wordsOf(line).includes(word)),
          );
          keepIf(past.defined, word, isOwn && isDefined(code, word));
        }
      }
    }
  }
}

function keepIf(words: Set<string>, word: string, isTrue: boolean): void {
  if (isTrue) {
    words.add(word);
  }
}

/**
 * The forms of a name that the code must have had. Names with hyphens mostly belong to packages and protocols, unless
 * the code had them in another notation. A variable named after a type doesn't make the type one of this code.
 */
function pastForms(kind: NameKind, forms: readonly string[]): readonly string[] {
  const [shown = ''] = forms;
  if (kind === 'identifier' && shown.includes('-')) {
    return forms.filter((form) => !form.includes('-'));
  }
  return kind === 'flag' || shown.includes('-') ? forms : [shown];
}

/** Whether a file is a `package.json` that defines no names. Those of editor extensions do, such as settings. */
function isListOfPackages(path: string, text: string): boolean {
  return /(?:^|\/)package\.json$/.test(path) && !text.includes('"contributes"');
}
