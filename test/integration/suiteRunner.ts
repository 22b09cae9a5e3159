import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_LIMIT } from '../support/scale';

/**
 * The entry point that VS Code calls inside its extension host. Runs every bundled test file in the same folder. Throws
 * when a test fails or when there are no tests.
 */
export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  const reporter = process.env['DOCS_AGENT_TEST_REPORTER'] ?? 'spec';
  const grep = process.env['DOCS_AGENT_TEST_GREP'];
  // In older editors, `require` of this module returns something other than the class.
  const { default: Mocha } = await import('mocha');
  const mocha = new Mocha({
    ui: 'bdd',
    color: false,
    timeout: TEST_LIMIT,
    reporter,
    ...(grep === undefined ? {} : { grep }),
  });
  const folder = join(__dirname, 'suite');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.test.cjs')).sort();
  if (files.length === 0) {
    throw new Error(`no test file in ${folder}`);
  }
  for (const file of files) {
    mocha.addFile(join(folder, file));
  }
  process.on('unhandledRejection', failOnOwn);
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  process.off('unhandledRejection', failOnOwn);
  if (failures > 0) {
    throw new Error(`${failures} of the tests failed`);
  }
}

/**
 * Throws what a promise of ours was rejected with and nothing handles, so that the running test fails: the editor only
 * logs it, and mocha ignores it.
 */
function failOnOwn(reason: unknown): void {
  const root = process.env['DOCS_AGENT_TEST_ROOT'] ?? '';
  // The editor and its own extensions are in a folder of the checkout.
  const editors = join(root, '.cache');
  const isOwn = (line: string): boolean => line.includes(root) && !line.includes(editors);
  if (!(reason instanceof Error) || reason.stack === undefined || reason.stack.split('\n').some(isOwn)) {
    setImmediate(() => {
      throw reason;
    });
  }
}
