import type { ClassifiedName } from './names';
import { wordsOf } from './names';

/** Maximum number of distinct words kept. A larger repository is searched for the missing names at the end. */
const MAX_WORDS = 3_000_000;
/** Longer words aren't names. In characters. */
const MAX_WORD = 1_000;

/** The words of a repository's code, and the names of its files. */
export class CodeWords {
  private readonly words = new Set<string>();
  private readonly byLastName = new Map<string, string[]>();
  private readonly folders = new Set<string>();
  /** The names of files and folders, without endings. */
  private readonly modules = new Set<string>();
  /** The files that were not read. */
  readonly unread: string[] = [];
  private isFull = false;

  addPaths(paths: Iterable<string>): void {
    for (const path of paths) {
      const names = path.split('/');
      const last = names.at(-1) ?? '';
      this.listUnder(last, path);
      this.addWords(last);
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
        const folder = path.slice(0, end);
        if (this.folders.has(folder)) {
          break;
        }
        this.folders.add(folder);
        const name = folder.slice(folder.lastIndexOf('/') + 1);
        this.listUnder(name, folder);
        this.addWords(name);
      }
    }
  }

  private listUnder(name: string, path: string): void {
    this.modules.add(moduleName(name));
    const listed = this.byLastName.get(name);
    if (listed === undefined) {
      this.byLastName.set(name, [path]);
    } else if (listed.length < 10_000) {
      listed.push(path);
    }
  }

  addText(text: string): void {
    if (text.length > 0 && !text.slice(0, 8_000).includes('\0')) {
      this.addWords(text);
    }
  }

  private addWords(text: string): void {
    if (this.isFull) {
      return;
    }
    for (const word of wordsOf(text)) {
      if (word.length <= MAX_WORD && !this.words.has(word)) {
        this.words.add(withoutSource(word));
      }
    }
    this.isFull = this.words.size > MAX_WORDS;
  }

  get isComplete(): boolean {
    return this.unread.length === 0 && !this.isFull;
  }

  has(word: string): boolean {
    return this.words.has(word);
  }

  /** Whether there is a file or folder of this name. */
  hasModule(name: string): boolean {
    return this.modules.has(moduleName(name));
  }

  hasFolder(path: string): boolean {
    return this.folders.has(path);
  }

  /** Whether this path exists, at the top or in some folder: pages of a package name paths relative to its folder. */
  hasPath(path: string): boolean {
    const listed = this.byLastName.get(path.slice(path.lastIndexOf('/') + 1)) ?? [];
    return listed.some((each) => each === path || each.endsWith(`/${path}`));
  }

  all(): Iterable<string> {
    return this.words;
  }
}

function moduleName(name: string): string {
  const dot = name.indexOf('.', 1);
  return (dot === -1 ? name : name.slice(0, dot)).replaceAll('-', '_');
}

/** Copies the word, because a part of a string keeps the whole string in memory: here, the file. */
function withoutSource(word: string): string {
  return Buffer.from(word, 'latin1').toString('latin1');
}

/**
 * Returns the groups of a name of which no word is in any of the repositories. Empty if the name's owner is missing.
 */
export function missingGroups(name: ClassifiedName, code: readonly CodeWords[]): string[][] {
  const { owner } = name;
  if (owner !== undefined && !code.some((each) => each.hasModule(owner))) {
    return [];
  }
  const isThere = (word: string): boolean =>
    code.some((each) => (name.kind === 'file' ? each.hasPath(word) : each.has(word)));
  return name.groups.filter((group) => !group.some(isThere)).map((group) => [...group]);
}
