import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { checkoutRoot } from '../support/vscode/paths';

/** A bundle is in another folder than its sources, which locate neighboring files by `import.meta.url`. */
const keepSourceUrl: Plugin = {
  name: 'keep-source-url',
  setup: (builder) => {
    builder.onLoad({ filter: /[\\/](test|src)[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    }));
  },
};

/**
 * Bundles the runner and the test files under `test/integration/suite` into a folder; returns the runner's path.
 *
 * @param only the wanted files, by the name of the source or of the bundle; all when empty
 */
export async function bundleSuite(into: string, only: readonly string[]): Promise<string> {
  const from = join(checkoutRoot, 'test', 'integration');
  const found = await readdir(join(from, 'suite'), { recursive: true });
  const wanted = new Set(only.map(titleOf));
  const names = found.filter((name) => name.endsWith('.test.ts') && (wanted.size === 0 || wanted.has(titleOf(name))));
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
    // `vscode` exists only inside the host. The runner and the tests must share one mocha instance.
    external: ['vscode', 'mocha', 'playwright-core', 'esbuild'],
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [keepSourceUrl],
  });
  return join(into, 'suiteRunner.cjs');
}

function titleOf(path: string): string {
  return basename(path).replace(/\.test\.\w+$/, '');
}
