import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The longest that one test may take unless it says otherwise, in milliseconds. */
const TEST_LIMIT = 60_000;

/**
 * The entry that VS Code calls inside its extension host. Runs every bundled test file that lies beside it; throws when
 * a test failed or when there is none.
 */
export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  const reporter = process.env['DOCS_AGENT_TEST_REPORTER'] ?? 'spec';
  const grep = process.env['DOCS_AGENT_TEST_GREP'];
  // Older editors hand over another thing than the class when a module of this kind is required.
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
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) {
    throw new Error(`${failures} of the tests failed`);
  }
}
