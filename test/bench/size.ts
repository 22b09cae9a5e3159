import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutRoot } from '../support/vscode/paths';

/** Sizes of the built extension, in bytes. */
export interface BundleSizes {
  /** What VS Code loads to activate the extension. */
  entry: number;
  /** What the extension loads later, on demand. */
  chunks: number;
  /** The local service, a separate program. */
  service: number;
}

/** Measures the files in `dist` after a build. */
export async function measureSize(): Promise<BundleSizes> {
  const dist = join(checkoutRoot, 'dist');
  const bytes = async (path: string): Promise<number> => (await stat(join(dist, path))).size;
  const all = async (folder: string, ...files: string[]): Promise<number> => {
    const rest = await readdir(join(dist, folder)).catch(() => []);
    const sizes = await Promise.all(
      [...files, ...rest.filter((name) => name.endsWith('.mjs')).map((name) => join(folder, name))].map(bytes),
    );
    return sizes.reduce((total, size) => total + size, 0);
  };
  return {
    entry: await bytes('extension.cjs'),
    chunks: await all('chunks', 'application.mjs'),
    service: await all('service', 'service.mjs'),
  };
}
