import { type SiteKind, isPageName, pagesFolderOf, siteFileIn } from './siteFiles';

/** The files of a project. Paths are relative to it, with `/`; the project's own folder is an empty path. */
export interface SiteReader {
  /** The names of the files and folders in a folder; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Undefined when there is no such file, or none of text. */
  read(path: string): Promise<string | undefined>;
}

/** The site that a page belongs to. */
export interface DocsSite {
  kind: SiteKind;
  /** The folder of its configuration. */
  root: string;
  configName: string;
  config: string;
  /** The folder of its pages, relative to the root and empty for the root itself. */
  pagesFolder: string;
}

/** Looks for the site of a page in the folders above it, the nearest first; undefined when it is a page of none. */
export async function findSite(page: string, reader: SiteReader): Promise<DocsSite | undefined> {
  if (!isPageName(page)) {
    return undefined;
  }
  for (let folder = parentOf(page); folder !== undefined; folder = parentOf(folder)) {
    const file = siteFileIn(await reader.list(folder), page);
    const config = file && (await reader.read(joined(folder, file.name)));
    const own = folder === '' ? page : page.slice(folder.length + 1);
    const pagesFolder = file && config !== undefined ? pagesFolderOf(file.kind, config, own) : undefined;
    if (file !== undefined && config !== undefined && pagesFolder !== undefined) {
      return { kind: file.kind, root: folder, configName: file.name, config, pagesFolder };
    }
  }
  return undefined;
}

/** The folder that holds a file or folder; undefined for that of the project. */
function parentOf(path: string): string | undefined {
  return path === '' ? undefined : path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** One path of several parts; empty ones are left out. */
export function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('/');
}
