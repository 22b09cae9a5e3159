import type { Loss } from './codeHistory';
import type { Change } from './ports';
import { successorOfFile } from './successors';

/** A file that a commit removed, and the paths that it added. */
export interface RemovedFile {
  loss: Loss;
  added: readonly string[];
}

/** More files are added by a program. */
const MAX_ADDED = 2_000;

/** The files of some names that commits have removed, newest first. */
export class RemovedFiles {
  private readonly byName = new Map<string, RemovedFile[]>();

  /** @param paths what to look for: paths from any folder */
  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      this.byName.set(lastName(path), []);
    }
  }

  add({ commit, files }: Change, repository: number): void {
    let added: string[] | undefined;
    for (const { path, before, after } of files) {
      // A removed folder has no change of its own.
      for (let end = path.length; after === undefined && end > 0; end = path.lastIndexOf('/', end - 1)) {
        const each = path.slice(0, end);
        const known = this.byName.get(lastName(each));
        if (known !== undefined && known.at(-1)?.loss.path !== each) {
          added ??= files.flatMap((file) => (file.before === undefined ? [file.path] : [])).slice(0, MAX_ADDED);
          const loss = { commit, repository, path: each, before: before ?? '', after: undefined };
          known.push({ loss, added });
        }
      }
    }
  }

  /** The removed files that a path may mean, which pages name from some folder. */
  of(path: string): RemovedFile[] {
    return (this.byName.get(lastName(path)) ?? []).filter(({ loss }) => isPathOf(loss.path, path));
  }
}

/** The path that probably took a removed file's place, out of those that are there now. */
export function movedTo({ loss, added }: RemovedFile, isThere: (path: string) => boolean): string | undefined {
  return successorOfFile(loss.path, added.filter(isThere));
}

/** Whether a page that names `named` may mean this file: pages of a package name paths relative to its folder. */
export function isPathOf(path: string, named: string): boolean {
  return path === named || path.endsWith(`/${named}`);
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
