import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkoutRoot } from './paths';
import { TEST_LIMIT } from '../scale';

/** The arguments for Node to run mocha on TypeScript files (globs relative to the checkout). */
export function mochaArguments(files: readonly string[], options: { grep?: string | undefined }): string[] {
  return [
    // Mocha swallows a rejection that nothing handles, and passes.
    '--unhandled-rejections=strict',
    ...['--import', 'tsx'],
    ...['--import', pathToFileURL(join(checkoutRoot, 'test', 'support', 'vscode', 'exitWithParent.mjs')).href],
    join(checkoutRoot, 'node_modules', 'mocha', 'bin', 'mocha.js'),
    // The configuration file would start one more process.
    '--no-config',
    ...['--require', join(checkoutRoot, 'test', 'support', 'fakeEditor.ts')],
    ...['--reporter', join(checkoutRoot, 'test', 'support', 'vscode', 'countingReporter.cjs')],
    ...['--timeout', String(TEST_LIMIT)],
    ...(options.grep === undefined ? [] : ['--grep', options.grep]),
    ...files,
  ];
}
