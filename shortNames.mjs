// Gives the files of a build that is split short names: hundreds of imports name them.
import { basename, dirname, join } from 'node:path';

/** What esbuild calls a file: by what it begins with, or `chunk` where several need it, and by a hash of what it holds. */
const HASHED = /[\w.]+-[0-9A-Z]{8}\.mjs/g;

/**
 * The same files under names without a hash, since each version of an extension lies in a folder of its own, and with their
 * imports naming them so. The metafile tells of them by these names.
 */
export function shortNames(files, metafile) {
  const names = namesFor(files.map(({ path }) => basename(path)));
  const renamed = (text) => text.replaceAll(HASHED, (name) => names.get(name) ?? name);
  metafile.outputs = JSON.parse(renamed(JSON.stringify(metafile.outputs)));
  return files.map(({ path, contents, text }) => ({
    path: join(dirname(path), renamed(basename(path))),
    contents: path.endsWith('.mjs') ? renamed(text) : contents,
  }));
}

function namesFor(files) {
  const hashed = files.filter((name) => name.match(HASHED)?.[0] === name).toSorted();
  const stems = hashed.map((name) => name.slice(0, -'-HASHHASH.mjs'.length));
  const shared = hashed.filter((_, index) => stems[index] === 'chunk');
  const names = hashed.map((name, index) => {
    const isOnly = stems.filter((stem) => stem === stems[index]).length === 1;
    return [
      name,
      stems[index] === 'chunk' ? `${shared.indexOf(name).toString(36)}.mjs` : isOnly ? `${stems[index]}.mjs` : name,
    ];
  });
  if (new Set(names.map(([, name]) => name)).size < names.length) {
    throw new Error('two files of the build would have the same name: see shortNames.mjs');
  }
  return new Map(names);
}
