// Runs the integration suites inside a real extension host; files as arguments run only these, `--grep TEXT` only the
// tests whose names hold it.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTests, TestRunFailedError } from '@vscode/test-electron';
import '../support/vscode/exitWithParent.mjs';
import { createSampleRepository } from '../support/temporaryRepository';
import { endLocalServices } from '../support/vscode/endLocalServices';
import { ensureNode } from '../support/vscode/install';
import { checkoutRoot, extensionFolder } from '../support/vscode/paths';
import { chosenRelease, RELEASES } from '../support/vscode/release';
import { scriptedServiceSettings } from '../support/vscode/scriptedService';
import { withTemporaryFolder } from '../support/vscode/temporaryFolder';
import { vscodeExecutable } from '../support/vscode/vscodeExecutable';
import { bundleSuite } from './bundleSuite';

/** The suites that depend on the release of the editor: the oldest runs only these. Its windows are seen end to end. */
const RELEASE_SUITES = ['smoke', 'job', 'jobsTree', 'beforeItLeaves', 'jobPageDraft', 'proxies'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { grep: { type: 'string' } } });

const suites = positionals.length === 0 && chosenRelease() === RELEASES.oldest ? RELEASE_SUITES : positionals;

await withTemporaryFolder(async (folder) => {
  const workspace = join(folder, 'workspace');
  // Short: VS Code listens in it, and on macOS the path of a socket may have 103 characters (unix(4), sun_path).
  const userData = join(folder, 'u');
  await mkdir(workspace);
  await mkdir(join(userData, 'User'), { recursive: true });
  await createSampleRepository(workspace);
  const settings = { 'telemetry.telemetryLevel': 'off', ...scriptedServiceSettings() };
  await writeFile(join(userData, 'User', 'settings.json'), JSON.stringify(settings, null, 2));
  const [executable, node, suite] = await Promise.all([vscodeExecutable(), ensureNode(), bundleSuite(suites)]);
  try {
    await runTests({
      vscodeExecutablePath: executable.path,
      extensionDevelopmentPath: extensionFolder,
      extensionTestsPath: suite,
      launchArgs: [workspace, `--user-data-dir=${userData}`, '--disable-extensions', '--password-store=basic'],
      extensionTestsEnv: {
        DOCS_AGENT_TEST_CHILD: '1',
        DOCS_AGENT_TEST_ROOT: checkoutRoot,
        DOCS_AGENT_TEST_NODE: node,
        DOCS_AGENT_TEST_REPORTER: join(checkoutRoot, 'test', 'support', 'vscode', 'countingReporter.cjs'),
        DOCS_AGENT_TEST_GREP: values.grep,
      },
    });
  } catch (error) {
    // The suite has said what failed; a stack of the runner would only hide it.
    process.exitCode = error instanceof TestRunFailedError ? (error.code ?? 1) : 1;
    process.stderr.write(error instanceof TestRunFailedError ? `${error.message}\n` : `${String(error)}\n`);
  } finally {
    await endLocalServices(userData);
  }
});
