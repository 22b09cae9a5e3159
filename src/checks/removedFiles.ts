import type { Loss } from './codeHistory';
import { LinkIndex, type LinkTarget } from './links';
import { pageFormat } from './paths';
import type { Change } from './ports';
import { successorOfFile } from './successors';

/** A file or folder that a commit removed, and what it added. */
export interface RemovedFile {
  loss: Loss;
  added: readonly { path: string; after: string | undefined }[];
}

/** The files and folders that commits have removed, newest first. */
export class RemovedFiles {
  private readonly byPath = new Map<string, RemovedFile[]>();
  private byName: Map<string, string[]> | undefined;
  private index: LinkIndex | undefined;

  add({ commit, files }: Change, repository: number): void {
    let added: RemovedFile['added'] | undefined;
    for (const { path, before, after } of files) {
      // Git lists files only, so a folder is removed with its last file.
      for (let end = path.length; after === undefined && end > 0; end = path.lastIndexOf('/', end - 1)) {
        const each = path.slice(0, end);
        const known = this.byPath.get(each) ?? [];
        if (known.at(-1)?.loss.commit !== commit) {
          added ??= files.filter((file) => file.before === undefined);
          known.push({ loss: { commit, repository, path: each, before: before ?? '', after: undefined }, added });
          this.byPath.set(each, known);
        }
      }
    }
  }

  /** The removed files that a path from any folder may mean. */
  of(path: string): RemovedFile[] {
    this.byName ??= Map.groupBy(this.byPath.keys(), lastName);
    const paths = this.byName.get(lastName(path)) ?? [];
    return paths.flatMap((each) => (isPathOf(each, path) ? (this.byPath.get(each) ?? []) : []));
  }

  /** The removed file to which a link led, which may lack the ending of a page. */
  target({ candidates, isCheckable }: LinkTarget): RemovedFile[] {
    this.index ??= new LinkIndex(this.byPath.keys());
    for (const candidate of candidates) {
      const path = this.index.find(candidate) ?? '';
      // A site may make pages from anything, so what isn't a page counts only with its ending.
      const found =
        isCheckable || pageFormat(path) !== undefined || path === candidate ? this.byPath.get(path) : undefined;
      if (found !== undefined && (isCheckable || /\.\w+$/.test(path))) {
        return found;
      }
    }
    return [];
  }

  /** The path that probably took a removed file's place, out of those that are there now; it may have moved again. */
  movedTo({ loss, added }: RemovedFile, isThere: (path: string) => boolean, moves = 5): string | undefined {
    const name = lastName(loss.path);
    const moved = added.find(({ after }) => after === loss.before) ?? added.find(({ path }) => lastName(path) === name);
    if (moved === undefined || isThere(moved.path)) {
      return moved?.path ?? successorOfFile(loss.path, added.map(({ path }) => path).filter(isThere));
    }
    const next = this.byPath.get(moved.path)?.[0];
    return next === undefined || moves === 0 ? undefined : this.movedTo(next, isThere, moves - 1);
  }
}

/** Whether a page that names `named` may mean this file: pages of a package name paths relative to its folder. */
export function isPathOf(path: string, named: string): boolean {
  return path === named || path.endsWith(`/${named}`);
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
