import type { SiteReader } from '../../../../src/prompt/docsSite/findSite';

/** A project in memory, by path. */
export function memoryFiles(files: Readonly<Record<string, string>>): SiteReader {
  return {
    list: async (folder) => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const inside = Object.keys(files).filter((path) => path.startsWith(prefix));
      return [...new Set(inside.map((path) => path.slice(prefix.length).split('/')[0] ?? ''))];
    },
    read: async (path) => files[path],
  };
}
