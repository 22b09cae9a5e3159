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

/** A release of VS Code that tests run on, as published in the npm registry. */
export interface Release {
  /** The VS Code version. code-server 4.X.Y contains VS Code 1.X.Y. */
  version: string;
  /** The Node that runs the extension hosts of this release. */
  node: string;
}

/**
 * The oldest release that package.json supports, with the last patches of that month, and the newest in the registry.
 */
export const RELEASES = {
  oldest: { version: '1.103.2', node: '22.17.0' },
  newest: { version: '1.139.1', node: '24.18.1' },
} as const satisfies Record<string, Release>;

/** The release that DOCS_AGENT_TEST_VSCODE selects, `oldest` or `newest`; the newest by default. */
export function chosenRelease(environment: NodeJS.ProcessEnv = process.env): Release {
  const name = environment['DOCS_AGENT_TEST_VSCODE'] ?? 'newest';
  if (name !== 'oldest' && name !== 'newest') {
    throw new Error(`DOCS_AGENT_TEST_VSCODE is ${name}; it must be oldest or newest`);
  }
  return RELEASES[name];
}

/** The folder with the packaged extension, installed for the chosen release of VS Code. */
export function installedExtensions(): string {
  return join(outFolder, 'e2e', chosenRelease().version, 'extensions');
}
