import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, build } from 'esbuild';
import { checkoutRoot } from '../../support/vscode/paths';
import { runChecked } from '../../support/vscode/run';

/** What speaks over undici directly: times, faults, redirects, tunnels, TLS. */
const SUITES = ['transport', 'secureTransport', 'proxy'].map((name) => `test/unit/client/${name}.test.ts`);

/** Fewer tests than this are not all that these files hold. */
const FEWEST = 40;

describe('undici as it is built', function () {
  this.timeout(120_000);

  it('does all that the client asks of it, without the parts that are left out', async () => {
    const program = join(checkoutRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const hooks = pathToFileURL(join(checkoutRoot, 'test', 'support', 'builtUndici.mjs')).href;
    const output = await runChecked(
      process.execPath,
      ['--import', 'tsx', '--import', hooks, program, '--timeout', '20000', ...SUITES],
      { cwd: checkoutRoot },
    );
    const passing = Number(/(\d+) passing/.exec(output)?.[1] ?? 0);
    assert.ok(passing >= FEWEST, output);
    assert.match(output, /undici taken from 1 file of the build once/);
  });

  it('fails to build when a part that is left out is no longer where it was', async () => {
    const path = pathToFileURL(join(checkoutRoot, 'leanUndici.mjs')).href;
    const { leanUndici } = (await import(path)) as { leanUndici: Plugin };
    const contents = `export { default } from 'undici/lib/core/connect.js';`;
    const building = build({
      stdin: { contents, resolveDir: checkoutRoot },
      bundle: true,
      platform: 'node',
      write: false,
      logLevel: 'silent',
      plugins: [leanUndici],
    });
    await assert.rejects(building, /undici does not read lib\/dispatcher\/client-h2\.js any more: see leanUndici\.mjs/);
  });
});
