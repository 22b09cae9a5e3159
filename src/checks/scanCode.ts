import type { CoverageCounter } from './checkOptions';
import { CodeWords } from './codeWords';
import type { Repository, Tree, TreeFile } from './ports';
import { filterWhileTime } from './whileTime';

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
/** Larger files are data, or written by a program; they are only searched for names at the end. In bytes. */
const MAX_CODE_FILE = 1_000_000;

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
  let told = 0;
  let sinceTurn = 0;
  for await (const content of repository.contents(distinct.map(({ id }) => id))) {
    if (content !== undefined) {
      code.addText(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1'));
    }
    at++;
    sinceTurn += content?.byteLength ?? 0;
    if (at - told === 50 || sinceTurn > TURN_BYTES) {
      scan.read(at - told);
      told = at;
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
