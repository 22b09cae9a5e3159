import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutRoot } from '../support/vscode/paths';

/** Sizes of the built extension, in bytes. */
export interface BundleSizes {
  /** What VS Code loads to activate the extension. */
  entry: number;
  /** What the extension and the local service load later, on demand. They share it. */
  later: number;
}

/** Measures the files in `dist` after a build. */
export async function measureSize(): Promise<BundleSizes> {
  const dist = join(checkoutRoot, 'dist');
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.mjs'));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(dist, name))).size));
  return {
    entry: (await stat(join(dist, 'extension.cjs'))).size,
    later: sizes.reduce((total, size) => total + size, 0),
  };
}
