import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { load } from 'js-yaml';
import { type RenamedRepository, renamedRepository } from '../../support/checkedRepositories';
import { notOnWindows } from '../../support/machine';
import { seed } from '../../support/scale';
import { git, temporaryFolder } from '../../support/temporaryRepository';
import { checkoutRoot } from '../../support/vscode/paths';
import { run } from '../../support/vscode/run';

describe('npm package of the check', () => {
  let installed: string;
  let program: string;
  let planted: RenamedRepository;
  let registry: Server;
  /** For npm, so that it finds the package. */
  let environment: NodeJS.ProcessEnv;

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
    planted = await renamedRepository(seed);
    registry = await registryWith(join(packed, file));
    environment = {
      ...process.env,
      ...{ npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/` },
      ...{ npm_config_cache: await temporaryFolder(), npm_config_update_notifier: 'false' },
      ...{ PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, XDG_CACHE_HOME: await temporaryFolder() },
    };
  });
  after(() => registry.close());

  it('contains the check and its libraries, and nothing of the services', async () => {
    const modules = await readdir(join(installed, 'node_modules'));
    deepStrictEqual(modules, ['.bin', '.package-lock.json', 'docs-agent-check']);
    const own = join(installed, 'node_modules/docs-agent-check');
    const notices = await readFile(join(own, 'ThirdPartyNotices.txt'), 'utf8');
    match(notices, /^js-yaml .*\(MIT\)$/m);
    doesNotMatch(notices, /^(hono|undici|pg|@agentclientprotocol\/sdk) /m);
  });

  it('checks a repository', async () => {
    const { code, output } = await run(process.execPath, [program, planted.folder, '--no-cache']);
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

  describe('as a hook of pre-commit', () => {
    notOnWindows();

    it('is the package of this version', async () => {
      const [hook] = load(await readFile(join(checkoutRoot, '.pre-commit-hooks.yaml'), 'utf8')) as { entry: string }[];
      const [npx = '', ...words] = hook?.entry.split(' ') ?? [];
      const { code, output } = await run(npx, words, { cwd: planted.folder, env: environment });
      strictEqual(code, 1, output);
      match(output, /is no longer in the code/);
    });
  });

  describe('as an action of GitHub', () => {
    notOnWindows();
    let workspace: string;

    before(async () => {
      workspace = await temporaryFolder();
      await symlink(planted.folder, join(workspace, 'docs'));
    });

    const act = async (inputs: Record<string, string>) =>
      runAction(inputs, { ...environment, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace });

    it('fails with annotations and SARIF', async () => {
      const { code, output, outputs, used } = await act({ 'working-directory': 'docs', 'upload-sarif': 'true' });
      deepStrictEqual({ code, found: outputs['found'] }, { code: 1, found: 'true' }, output);
      match(output, /^::warning file=docs\/\S+,line=\d+,/m);
      match(await readFile(outputs['sarif'] ?? '', 'utf8'), /"2\.1\.0"/);
      deepStrictEqual(used, ['github/codeql-action/upload-sarif']);
    });

    it('checks only what a branch added, and passes if nothing is wrong with that', async () => {
      const { code, outputs, used } = await act({ 'working-directory': 'docs', base: 'HEAD' });
      deepStrictEqual({ code, found: outputs['found'], used }, { code: 0, found: 'false', used: [] });
    });

    it('can let the job go on', async () => {
      const { code, outputs } = await act({ 'working-directory': 'docs', 'fail-on-findings': 'false' });
      deepStrictEqual({ code, found: outputs['found'] }, { code: 0, found: 'true' });
    });

    it('looks names up in further repositories', async () => {
      const code = await temporaryFolder();
      await git(code, 'init', '--quiet');
      const names = planted.renames.map(({ shown }) => shown.replace(/\(\)$/, ''));
      await writeFile(join(code, 'names.ts'), names.map((name) => `option('${name}');\n`).join(''));
      await git(code, 'add', '--all');
      await git(code, 'commit', '--quiet', '-m', 'All');
      await symlink(code, join(workspace, 'more code'));
      const { outputs, output } = await act({ 'working-directory': 'docs', code: '\nmore code\n' });
      strictEqual(outputs['found'], 'false', output);
    });

    it('fails without findings if the check can’t run', async () => {
      for (const inputs of [{ base: 'nowhere' }, { version: '99.0.0' }] as Record<string, string>[]) {
        const { code, outputs } = await act({ 'working-directory': 'docs', 'fail-on-findings': 'false', ...inputs });
        deepStrictEqual({ code, outputs }, { code: 2, outputs: {} });
      }
    });

    it('runs no package of that name in the repository', async () => {
      const folder = join(workspace, 'hostile');
      const own = join(folder, 'node_modules', 'docs-agent-check');
      await mkdir(own, { recursive: true });
      const { version } = JSON.parse(await readFile(join(checkoutRoot, 'package.json'), 'utf8')) as { version: string };
      const manifest = JSON.stringify({ name: 'docs-agent-check', version, bin: 'ran.mjs' });
      await writeFile(join(own, 'package.json'), manifest);
      await writeFile(join(own, 'ran.mjs'), '#!/usr/bin/env node\nconsole.log("hostile");\n', { mode: 0o755 });
      await writeFile(join(folder, 'package.json'), '{}');
      await git(folder, 'init', '--quiet');
      await git(folder, 'add', '--all');
      await git(folder, 'commit', '--quiet', '-m', 'All');
      const { output } = await act({ 'working-directory': 'hostile' });
      match(output, /^Checked 0 names/m);
      doesNotMatch(output, /hostile/);
    });
  });
});

/** A registry with one package, as npm asks for it. */
async function registryWith(file: string): Promise<Server> {
  const { version } = JSON.parse(await readFile(join(checkoutRoot, 'package.json'), 'utf8')) as { version: string };
  const tarball = await readFile(file);
  const [name, bin] = ['docs-agent-check', { 'docs-agent-check': 'docs-agent-check.mjs' }];
  const server = createServer((request, response) => {
    const address = `http://${request.headers.host ?? ''}/package.tgz`;
    const versions = { [version]: { name, version, bin, dist: { tarball: address } } };
    const isKnown = request.url === `/${name}` || request.url === '/package.tgz';
    response.statusCode = isKnown ? 200 : 404;
    response.end(
      request.url === '/package.tgz' ? tarball : JSON.stringify({ name, 'dist-tags': { latest: version }, versions }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface Action {
  inputs: Record<string, { default: string }>;
  runs: { steps: { id?: string; if?: string; run?: string; uses?: string; env?: Record<string, string> }[] };
}

/** Runs the shell steps of action.yml as a runner does; of the other steps, only the names are noted. */
async function runAction(given: Record<string, string>, environment: NodeJS.ProcessEnv) {
  const { inputs: known, runs } = load(await readFile(join(checkoutRoot, 'action.yml'), 'utf8')) as Action;
  ok(Object.keys(given).every((name) => name in known));
  const inputs = Object.fromEntries(
    // Its default is an expression, which is empty outside of pull requests.
    Object.entries(known).map(([name, input]) => [name, given[name] ?? (name === 'base' ? '' : input.default)]),
  );
  const temporary = await temporaryFolder();
  const outputs: Record<string, string> = {};
  const evaluate = (expression: string): string => {
    const values: string = expression.replace(
      /\b(?:inputs|steps\.\w+\.outputs)\.([\w-]+)/g,
      (all: string, name: string) => JSON.stringify((all.startsWith('inputs') ? inputs : outputs)[name] ?? ''),
    );
    return String(runInNewContext(values));
  };
  let output = '';
  const used: string[] = [];
  for (const step of runs.steps) {
    if (step.if !== undefined && evaluate(step.if) !== 'true') {
      continue;
    }
    if (step.run === undefined) {
      used.push(step.uses?.split('@')[0] ?? '');
      continue;
    }
    const env = Object.entries(step.env ?? {}).map(([name, value]): [string, string] => [
      name,
      value.replace(/^\$\{\{ (.*) \}\}$/, (_, expression: string) => evaluate(expression)),
    ]);
    const file = join(temporary, 'output');
    await writeFile(file, '');
    const places = { GITHUB_OUTPUT: file, GITHUB_ACTION_PATH: checkoutRoot, RUNNER_TEMP: temporary };
    const result = await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      env: { ...environment, ...places, ...Object.fromEntries(env) },
      cwd: environment['GITHUB_WORKSPACE'],
    });
    output += result.output;
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
    Object.assign(outputs, Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))));
    if (result.code !== 0) {
      return { code: result.code, output, outputs, used };
    }
  }
  return { code: 0, output, outputs, used };
}
