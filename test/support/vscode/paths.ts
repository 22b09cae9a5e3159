import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout's root. Found by searching upward, because this file also runs from inside bundles under `out`. */
export const checkoutRoot = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** The built extension under test: the checkout, unless a developer of the test rig names another one. */
export const extensionFolder = process.env['DOCS_AGENT_TEST_EXTENSION'] ?? checkoutRoot;

/** Where downloaded test tools are kept between runs; ignored by git. */
export const cacheFolder = process.env['DOCS_AGENT_TEST_CACHE'] ?? join(checkoutRoot, '.cache', 'vscode-server');

/** Bundles, reports and screenshots of test runs; ignored by git. */
export const outFolder = join(checkoutRoot, 'out');

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package-lock.json'))) {
    return folder;
  }
  const above = dirname(folder);
  if (above === folder) {
    throw new Error('no package-lock.json above the test support');
  }
  return rootAbove(above);
}
