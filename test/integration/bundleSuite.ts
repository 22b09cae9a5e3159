import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { checkoutRoot, outFolder } from '../support/vscode/paths';

/** A bundle lies elsewhere than its sources, which find their neighbours by `import.meta.url`. */
const keepSourceUrl: Plugin = {
  name: 'keep-source-url',
  setup: (builder) => {
    builder.onLoad({ filter: /[\\/](test|src)[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};

/** Bundles the runner and each test file that is found under `test/integration/suite`; returns the runner's path. */
export async function bundleSuite(): Promise<string> {
  const from = join(checkoutRoot, 'test', 'integration');
  const into = join(outFolder, 'integration');
  const found = await readdir(join(from, 'suite'), { recursive: true });
  const names = found.filter((name) => name.endsWith('.test.ts'));
  await rm(into, { recursive: true, force: true });
  await build({
    entryPoints: [join(from, 'suiteRunner.ts'), ...names.map((name) => join(from, 'suite', name))],
    outbase: from,
    outdir: into,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22.15',
    // `vscode` exists only inside the host; mocha must be one and the same for the runner and the tests.
    external: ['vscode', 'mocha', 'playwright-core', 'esbuild'],
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [keepSourceUrl],
  });
  return join(into, 'suiteRunner.cjs');
}
