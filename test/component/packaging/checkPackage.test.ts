import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renamedRepository } from '../../support/checkedRepositories';
import { seed } from '../../support/scale';
import { temporaryFolder } from '../../support/temporaryRepository';
import { checkoutRoot } from '../../support/vscode/paths';
import { run } from '../../support/vscode/run';

describe('npm package of the check', () => {
  let installed: string;
  let program: string;

  before(async () => {
    const packed = await temporaryFolder();
    const made = await run(process.execPath, ['scripts/npmPackage.mjs', 'docs-agent-check', packed], {
      cwd: checkoutRoot,
    });
    strictEqual(made.code, 0, made.output);
    const [file = ''] = await readdir(packed);
    match(file, /^docs-agent-check-\d+\.\d+\.\d+\.tgz$/);
    installed = await temporaryFolder();
    const args = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', installed, join(packed, file)];
    const { code, output } = await run('npm', args, { cwd: installed });
    strictEqual(code, 0, output);
    program = join(installed, 'node_modules', '.bin', 'docs-agent-check');
  });

  it('contains the check and its libraries, and nothing of the services', async () => {
    const modules = await readdir(join(installed, 'node_modules'));
    deepStrictEqual(modules, ['.bin', '.package-lock.json', 'docs-agent-check']);
    const own = join(installed, 'node_modules/docs-agent-check');
    const notices = await readFile(join(own, 'ThirdPartyNotices.txt'), 'utf8');
    match(notices, /^js-yaml .*\(MIT\)$/m);
    doesNotMatch(notices, /^(hono|undici|pg|@agentclientprotocol\/sdk) /m);
  });

  it('checks a repository', async () => {
    const { folder } = await renamedRepository(seed);
    const { code, output } = await run(process.execPath, [program, folder, '--no-cache']);
    strictEqual(code, 1, output);
    match(output, /is no longer in the code/);
    match((await run(process.execPath, [program, '--help'])).output, /^Usage: docs-agent-check \[FOLDER\]/);
  });

  it('says which Node.js it needs', async () => {
    const old = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.19.5'})`;
    const { code, output } = await run(process.execPath, ['--import', old, program]);
    deepStrictEqual(
      { code, output },
      { code: 2, output: 'docs-agent-check: this is Node.js 20.19.5, and 22.15 or newer is needed.\n' },
    );
  });
});
