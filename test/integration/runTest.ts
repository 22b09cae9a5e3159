// Runs the integration suites in a real extension host. File arguments run only these suites; `--grep TEXT` runs only
// the tests whose names contain TEXT.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTests, TestRunFailedError } from '@vscode/test-electron';
import '../support/vscode/exitWithParent.mjs';
import { createSampleRepository } from '../support/temporaryRepository';
import { endLocalServices, scriptedServiceSettings } from '../support/vscode/server';
import { ensureNode } from '../support/vscode/install';
import { checkoutRoot, chosenRelease, extensionFolder, outFolder, RELEASES } from '../support/vscode/paths';
import { withTemporaryFolder } from '../support/vscode/run';
import { vscodeExecutable } from '../support/vscode/vscodeExecutable';
import { bundleSuite } from './bundleSuite';

/**
 * The suites that depend on the editor's release; the oldest editor runs only these. End-to-end tests cover its
 * windows.
 */
const RELEASE_SUITES = ['job', 'proxies'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { grep: { type: 'string' } } });

const suites = positionals.length === 0 && chosenRelease() === RELEASES.oldest ? RELEASE_SUITES : positionals;

await withTemporaryFolder(async (folder) => {
  const workspace = join(folder, 'workspace');
  // Short, because VS Code creates a socket in it, and macOS limits socket paths to 103 characters (unix(4), sun_path).
  const userData = join(folder, 'u');
  await mkdir(workspace);
  await mkdir(join(userData, 'User'), { recursive: true });
  await createSampleRepository(workspace);
  const settings = { 'telemetry.telemetryLevel': 'off', ...scriptedServiceSettings() };
  await writeFile(join(userData, 'User', 'settings.json'), JSON.stringify(settings, null, 2));
  const [executable, node, suite] = await Promise.all([
    vscodeExecutable(),
    ensureNode(),
    bundleSuite(join(outFolder, 'integration', chosenRelease().version), suites),
  ]);
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
    // The suite has already reported what failed; a stack trace of the runner would only hide it.
    process.exitCode = error instanceof TestRunFailedError ? (error.code ?? 1) : 1;
    process.stderr.write(error instanceof TestRunFailedError ? `${error.message}\n` : `${String(error)}\n`);
  } finally {
    await endLocalServices(userData);
  }
});
