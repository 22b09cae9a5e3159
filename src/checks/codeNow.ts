import { MAX_CODE_LINE } from '../base/limits';
import { wordsOf } from './names';
import { isOtherCode } from './ownNames';
import type { CoverageCounter, Repository, Tree, TreeFile } from './ports';
import { ROLES, rolesAt } from './roles';
import { filterWhileTime } from './whileTime';
import { SeenWords, type WordTable } from './wordTable';

/** Larger files are searched by git, for missing names only. In bytes. */
const MAX_FILE = 16_000_000;
/** How many uses of a word in one file are looked at for its roles. */
const MAX_USES = 50;

/** The paths of a repository, and in which roles its code has the words of a table. */
export class CodeNow {
  /** By the number of a word: its roles in the code itself, and in tests and copies of other software. */
  private roles = new Uint8Array(0);
  private otherRoles = new Uint8Array(0);
  private readonly byLastName = new Map<string, string[]>();
  private readonly folders = new Set<string>();
  /** The names of files and folders, without endings. */
  private readonly modules = new Set<string>();
  private readonly seen = new SeenWords();
  /** The files that were not read. */
  readonly unread: string[] = [];

  constructor(readonly table: WordTable) {}

  /** @param isCode whether names in the path count as names of the code */
  addPath(path: string, isCode: boolean): void {
    this.listUnder(path.slice(path.lastIndexOf('/') + 1), path, isCode);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (this.folders.has(folder) && !isCode) {
        break;
      }
      this.folders.add(folder);
      this.listUnder(folder.slice(folder.lastIndexOf('/') + 1), folder, isCode);
    }
  }

  private listUnder(name: string, path: string, isCode: boolean): void {
    const listed = this.byLastName.get(name);
    if (listed === undefined) {
      this.byLastName.set(name, [path]);
    } else if (listed.length < 10_000 && !listed.includes(path)) {
      listed.push(path);
    }
    if (isCode && !this.modules.has(moduleName(name))) {
      this.modules.add(moduleName(name));
      for (const word of wordsOf(name)) {
        this.add(this.table.get(word), ROLES.any | ROLES.code, false);
      }
    }
  }

  private add(word: number | undefined, roles: number, isOther: boolean): void {
    if (word !== undefined) {
      if (this.roles.length < this.table.words.length) {
        this.roles = grown(this.roles, this.table.words.length);
        this.otherRoles = grown(this.otherRoles, this.table.words.length);
      }
      const here = isOther ? this.otherRoles : this.roles;
      here[word] = (here[word] ?? 0) | roles;
    }
  }

  /**
   * Adds the words of a file.
   *
   * @param scan.wanted returns the roles of a word that matter
   * @param scan.onUse called for uses in the code itself, as opposed to tests
   */
  addText(path: string, text: Buffer, { wanted, onUse }: Pick<CodeScan, 'wanted' | 'onUse'>): void {
    if (text.subarray(0, 8_000).includes(0)) {
      return;
    }
    const isOther = isOtherCode(path);
    const uses = new Map<number, number>();
    const visit = (word: number, start: number, end: number): void => {
      const known = (isOther ? this.otherRoles : this.roles)[word] ?? 0;
      const count = uses.get(word) ?? 0;
      uses.set(word, count + 1);
      if ((wanted(word) & ~known) !== 0 && count < MAX_USES) {
        this.add(word, rolesIn(text, start, end), isOther);
      }
      if (!isOther && count < MAX_USES) {
        onUse(word, text, start, end);
      }
    };
    this.table.scan(text, visit);
    this.seen.addText(text);
  }

  /** Whether the code has a word that is not in the table. */
  mayHave(word: string): boolean {
    return this.seen.has(word);
  }

  /** Whether the code has the word in one of these roles. */
  has(word: string, roles: number = ROLES.any): boolean {
    const at = this.table.get(word);
    return at !== undefined && (((this.roles[at] ?? 0) | (this.otherRoles[at] ?? 0)) & roles) !== 0;
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
}

function grown(array: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length);
  longer.set(array);
  return longer;
}

function moduleName(name: string): string {
  const dot = name.indexOf('.', 1);
  return (dot === -1 ? name : name.slice(0, dot)).replaceAll('-', '_');
}

/** Returns the roles of a word of a text. Lines that no person writes are cut. */
export function rolesIn(text: Buffer, start: number, end: number): number {
  const from = Math.max(text.lastIndexOf(10, start - 1) + 1, start - MAX_CODE_LINE);
  const lineEnd = text.indexOf(10, end);
  const to = Math.min(lineEnd === -1 ? text.length : lineEnd, end + MAX_CODE_LINE);
  return rolesAt(text.toString('latin1', from, to), start - from, end - from);
}

export interface CodeScan {
  limits: { codeBytes: number; codeFiles: number };
  isCode: (path: string) => boolean;
  wanted: (word: number) => number;
  onUse: (word: number, text: Buffer, start: number, end: number) => void;
  /** Whether there is time left. */
  hasTime: () => boolean;
  counter: CoverageCounter;
  /** Called with the number of files that were read. */
  read: (files: number) => void;
}

const TURN_FILES = 50;

/** Reads the code of a commit. What could not be read is listed in `unread`. */
export async function scanCode(repository: Repository, tree: Tree, table: WordTable, scan: CodeScan): Promise<CodeNow> {
  const { limits, counter, hasTime } = scan;
  const code = new CodeNow(table);
  const files: TreeFile[] = [];
  let bytes = 0;
  const found = new Set(await filterWhileTime(tree.files, hasTime, ({ path }) => scan.isCode(path)));
  counter.skip('time', hasTime() ? 0 : 1);
  for (const file of tree.files) {
    code.addPath(file.path, found.has(file));
  }
  for (const file of found) {
    bytes += file.size;
    if (file.size <= MAX_FILE && files.length < limits.codeFiles && bytes <= limits.codeBytes) {
      files.push(file);
    } else {
      code.unread.push(file.path);
    }
  }
  counter.skip('files', [...found].filter(({ size }) => size <= MAX_FILE).length - files.length);
  counter.skip('files', tree.isCut ? 1 : 0);
  counter.skip('submodule', tree.submodules);
  // Files with the same content are read only once.
  const distinct = [...new Map(files.map((file) => [file.id, file])).values()];
  let at = 0;
  for await (const content of repository.contents(distinct.map(({ id }) => id))) {
    const file = distinct[at++];
    if (content !== undefined && file !== undefined) {
      code.addText(file.path, content, scan);
    }
    if (at % TURN_FILES === 0) {
      scan.read(TURN_FILES);
      if (!hasTime()) {
        break;
      }
    }
  }
  scan.read(at % TURN_FILES);
  const rest = distinct.slice(at);
  rest.forEach(({ path }) => code.unread.push(path));
  counter.skip('time', rest.length);
  return code;
}
