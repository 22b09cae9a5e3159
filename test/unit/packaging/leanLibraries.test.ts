import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, type Plugin, build } from 'esbuild';
import { checkoutRoot } from '../../support/vscode/paths';
import { runChecked } from '../../support/vscode/run';

/** The tests of what uses these libraries. */
const SUITES = ['secrets/findSecrets', 'readYaml', 'template/frontMatter'].map((name) =>
  join(checkoutRoot, `test/unit/prompt/${name}.test.ts`),
);

/** Fewer tests than this are not all that these files hold. */
const FEWEST = 25;

async function options(): Promise<BuildOptions> {
  const path = pathToFileURL(join(checkoutRoot, 'leanLibraries.mjs')).href;
  const { leanLibraries } = (await import(path)) as { leanLibraries: Plugin };
  return {
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    external: ['fast-check'],
    logLevel: 'silent',
    plugins: [leanLibraries],
  };
}

describe('libraries as they are built', function () {
  this.timeout(120_000);

  it('do all that is asked of them, without the parts that are left out', async () => {
    const outdir = join(checkoutRoot, 'out', 'lean-libraries');
    await rm(outdir, { recursive: true, force: true });
    await build({
      ...(await options()),
      entryPoints: SUITES,
      outdir,
      outExtension: { '.js': '.mjs' },
      splitting: true,
    });
    const program = join(checkoutRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const output = await runChecked(process.execPath, [program, '--timeout', '20000', '--recursive', outdir], {
      cwd: checkoutRoot,
    });
    const passing = Number(/(\d+) passing/.exec(output)?.[1] ?? 0);
    assert.ok(passing >= FEWEST, output);
  });

  it('fail to build when one of them is no longer where it was', async () => {
    const stdin = { contents: `export { load } from 'js-yaml';`, resolveDir: checkoutRoot };
    const building = build({ ...(await options()), stdin, write: false });
    await assert.rejects(building, /secretlint-rule-preset-recommend\/module\/index\.js is not read any more/);
  });
});
