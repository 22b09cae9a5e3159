import { type AbsentName, isPathOf } from './absentNames';
import type { CoverageCounter } from './checkOptions';
import type { NameKind } from './finding';
import { wordsOf } from './names';
import { hasOwnName, isDefined, splitImports } from './ownNames';
import type { LineCommit, Repository } from './ports';

/** Maximum number of past versions of files that are read. */
const MAX_FILES = 20_000;
/** How much of each is read, in bytes. */
const MAX_BYTES = 1_000_000;

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

  async look(wanted: readonly { name: AbsentName; written: LineCommit }[]): Promise<void> {
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
            this.keep(file, Buffer.from(content).subarray(0, MAX_BYTES).toString('latin1'));
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

  private keep({ written, path, names }: PastFile, text: string): void {
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
