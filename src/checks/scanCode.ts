import type { CoverageCounter } from './checkOptions';
import { CodeWords, readableFiles } from './codeWords';
import type { Repository, Tree } from './ports';

export interface CodeScan {
  limits: { codeBytes: number; codeFiles: number };
  isCode: (path: string) => boolean;
  /** Whether there is time left. */
  hasTime: () => boolean;
  counter: CoverageCounter;
  read: (files: number) => void;
}

/** Reads all words of a commit's code. What could not be read is listed in `unread`. */
export async function scanCode(repository: Repository, tree: Tree, scan: CodeScan): Promise<CodeWords> {
  const { limits, counter } = scan;
  const code = new CodeWords();
  const { read: all, large } = readableFiles(tree, scan.isCode);
  code.addPaths(tree.files.filter(({ path }) => scan.isCode(path)).map(({ path }) => path));
  code.unread.push(...large);
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
  // The same content is read once.
  const distinct = [...new Map(files.map((file) => [file.id, file])).values()];
  let at = 0;
  for await (const content of repository.contents(distinct.map(({ id }) => id))) {
    if (content !== undefined) {
      code.addText(Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1'));
    }
    at++;
    if (at % 50 === 0) {
      scan.read(50);
      // Lets a signal to end arrive.
      await new Promise((resolve) => setImmediate(resolve));
      if (!scan.hasTime()) {
        break;
      }
    }
  }
  const rest = distinct.slice(at);
  code.unread.push(...rest.map(({ path }) => path));
  counter.skip('time', rest.length);
  counter.skip('files', all.length - files.length + (tree.isCut ? 1 : 0));
  counter.skip('submodule', tree.submodules);
  return code;
}
