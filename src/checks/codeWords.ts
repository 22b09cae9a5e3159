import { MAX_CODE_FILE } from '../base/limits';
import { type ClassifiedName, wordsOf } from './names';
import type { CoverageCounter, Repository, Tree, TreeFile } from './ports';
import { filterWhileTime } from './whileTime';

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

export interface CodeScan {
  limits: { codeBytes: number; codeFiles: number };
  isCode: (path: string) => boolean;
  /** Whether there is time left. */
  hasTime: () => boolean;
  counter: CoverageCounter;
  read: (files: number) => void;
}

/** How many bytes are read before yielding to the event loop, so that a signal to stop can arrive. */
const TURN_BYTES = 1_000_000;
const MANY_PATHS = 5_000;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Reads all words of a commit's code. What could not be read is listed in `unread`. */
export async function scanCode(repository: Repository, tree: Tree, scan: CodeScan): Promise<CodeWords> {
  const { limits, counter } = scan;
  const code = new CodeWords();
  const { read: all, large } = await codeFiles(tree, scan);
  for (let at = 0; at < all.length; at += MANY_PATHS) {
    code.addPaths(all.slice(at, at + MANY_PATHS).map(({ path }) => path));
    await nextTurn();
  }
  code.addPaths(large);
  large.forEach((path) => code.unread.push(path));
  const files: typeof all = [];
  let bytes = 0;
  for (const file of all) {
    bytes += file.size;
    if (files.length < limits.codeFiles && bytes <= limits.codeBytes) {
      files.push(file);
    } else {
      code.unread.push(file.path);
    }
  }
  // Files with the same content are read only once.
  const distinct = [...new Map(files.map((file) => [file.id, file])).values()];
  let at = 0;
  let reported = 0;
  let sinceTurn = 0;
  for await (const content of repository.contents(distinct.map(({ id }) => id))) {
    if (content !== undefined) {
      code.addText(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1'));
    }
    at++;
    sinceTurn += content?.byteLength ?? 0;
    if (at - reported === 50 || sinceTurn > TURN_BYTES) {
      scan.read(at - reported);
      reported = at;
      sinceTurn = 0;
      await nextTurn();
      if (!scan.hasTime()) {
        break;
      }
    }
  }
  const rest = distinct.slice(at);
  rest.forEach(({ path }) => code.unread.push(path));
  counter.skip('time', rest.length);
  counter.skip('files', all.length - files.length + (tree.isCut ? 1 : 0));
  counter.skip('submodule', tree.submodules);
  return code;
}

/** The files whose words are read, and those that are too large. */
async function codeFiles(
  tree: Tree,
  { isCode, hasTime, counter }: CodeScan,
): Promise<{ read: TreeFile[]; large: string[] }> {
  const found = await filterWhileTime(tree.files, hasTime, ({ path }) => isCode(path));
  counter.skip('time', hasTime() ? 0 : 1);
  return {
    read: found.filter(({ size }) => size <= MAX_CODE_FILE),
    large: found.filter(({ size }) => size > MAX_CODE_FILE).map(({ path }) => path),
  };
}
