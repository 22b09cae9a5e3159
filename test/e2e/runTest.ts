// Packages the extension, then runs it in a real window. `--grep TEXT` runs only the tests whose names contain TEXT;
// file arguments run only the tests in these files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../support/vscode/exitWithParent.mjs';
import { ensureNode, ensureServer } from '../support/vscode/install';
import { mochaArguments } from '../support/vscode/mochaCommand';
import { packageExtension } from '../support/vscode/packageExtension';
import { checkoutRoot, extensionFolder, outFolder } from '../support/vscode/paths';
import { runChecked } from '../support/vscode/run';
import { installInto } from '../support/vscode/server';

if (process.platform !== 'linux') {
  process.stdout.write('Skipped: the window tests drive the VS Code server, which this rig installs on Linux only.\n');
  const counts = process.env['DOCS_AGENT_TEST_COUNTS'];
  if (counts !== undefined) {
    await appendFile(counts, `${JSON.stringify({ file: 'e2e', skipped: 1 })}\n{"ended":true}\n`);
  }
} else {
  process.exitCode = await runEndToEnd();
}

async function runEndToEnd(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { grep: { type: 'string' } } });
  const vsix = join(outFolder, 'e2e', 'extension.vsix');
  // `npm test` has already built it, and other tests use that build at the same time.
  if (extensionFolder === checkoutRoot && process.env['DOCS_AGENT_TEST_CHILD'] !== '1') {
    await runChecked(process.execPath, ['scripts/esbuild.mjs'], { cwd: checkoutRoot });
  }
  const [bytes, node] = await Promise.all([packageExtension(extensionFolder, vsix), ensureNode(), ensureServer()]);
  process.stdout.write(`Packaged the extension: ${Math.ceil(bytes / 1024)} KiB\n`);
  const extensions = join(outFolder, 'e2e', 'extensions');
  await rm(extensions, { recursive: true, force: true });
  await installInto(extensions, vsix);
  const args = mochaArguments(positionals.length === 0 ? ['test/e2e/suite/**/*.test.ts'] : positionals, {
    grep: values.grep,
  });
  const env = { ...process.env, DOCS_AGENT_TEST_EXTENSIONS: extensions, DOCS_AGENT_TEST_CHILD: '1' };
  const child = spawn(node, args, { cwd: checkoutRoot, env, stdio: ['pipe', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
