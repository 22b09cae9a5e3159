import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { git } from '../../support/temporaryRepository';
import { checkoutRoot } from '../../support/vscode/paths';
import { run } from '../../support/vscode/run';

/** What a clone does not hold; a test of a release needs no tests. */
const UNTRACKED = ['node_modules', '.git', '.cache', 'dist', 'out', 'test'];

/** A Node that nobody has: the tests run on whichever there is. */
const NO_NODE = '1.2.3';

describe('a release', function () {
  // Two whole builds, which take half a minute on an idle machine.
  this.timeout(900_000);
  let folder: string;
  let clone: string;
  let version: string;

  const release = (where: string, ...args: string[]) =>
    run(process.execPath, ['scripts/release.mjs', ...args], { cwd: where });

  const commit = async (message: string): Promise<void> => {
    await git(clone, 'add', '--all');
    await git(clone, 'commit', '--quiet', '--message', message);
  };

  before(async () => {
    await mkdir(join(checkoutRoot, 'out'), { recursive: true });
    // Below the checkout: the tools are found further up.
    folder = await mkdtemp(join(checkoutRoot, 'out', 'release-'));
    clone = join(folder, 'one');
    for (const name of (await readdir(checkoutRoot)).filter((each) => !UNTRACKED.includes(each))) {
      await cp(join(checkoutRoot, name), join(clone, name), { recursive: true });
    }
    version = (JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')) as { version: string }).version;
    await writeFile(join(clone, '.node-version'), `${NO_NODE}\n`);
    await git(clone, 'init', '--quiet', '--initial-branch', 'main');
    await commit('All');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('says what to do where the tag is missing or another than the version', async () => {
    for (const [args, words] of [
      [[], /Name the tag, as in: npm run release -- v\d/],
      [['main'], /Name the tag/],
      [[`v${version}`, '.'], /Name the tag and nothing more: \. is too much/],
      [['v99.0.0'], /says version .* change one of them/],
      [[`v${version}`], /There is no tag .*git tag v/],
    ] as const) {
      const { code, output } = await release(clone, ...args);
      strictEqual(code, 1);
      match(output, words);
    }
  });

  it('says what to do where the checkout is not what the tag holds', async () => {
    const tag = `v${version}`;
    await git(clone, 'tag', tag);
    await writeFile(join(clone, 'more.txt'), 'more\n');
    match((await release(clone, tag)).output, /commit them or put them away:\n.*more\.txt/);
    await commit('More');
    match((await release(clone, tag)).output, /git checkout v/);
    const changelog = await readFile(join(clone, 'CHANGELOG.md'), 'utf8');
    await writeFile(join(clone, 'CHANGELOG.md'), changelog.replace(`## ${version}`, '## 98.0.0'));
    await commit('No section');
    await git(clone, 'tag', '--force', tag);
    match((await release(clone, tag)).output, /no section “## .*write what is new/);
    await git(clone, 'reset', '--quiet', '--hard', 'HEAD~2');
    await git(clone, 'tag', '--force', tag);
  });

  it('is made by the Node that is named, and says when another one is allowed', async () => {
    const { code, output } = await release(clone, `v${version}`);
    strictEqual(code, 1);
    match(output, new RegExp(`This is Node ${process.versions.node}, .* by Node ${NO_NODE}: .*--any-node`));
  });

  it('takes nothing that an earlier build left', async () => {
    const empty = join(folder, 'empty');
    await git(folder, 'clone', '--quiet', clone, empty);
    await writeFile(join(empty, 'scripts', 'esbuild.mjs'), '');
    await git(empty, 'commit', '--quiet', '--all', '--message', 'A build that makes nothing');
    await git(empty, 'tag', '--force', `v${version}`);
    await mkdir(join(empty, 'dist'));
    await writeFile(join(empty, 'dist', 'extension.cjs'), '// Of yesterday.\n');
    const { code, output } = await release(empty, `v${version}`, '--any-node');
    strictEqual(code, 1);
    match(output, /Nothing was released\. The build .* made no \.\/dist\/extension\.cjs: run/);
    await rejects(access(join(empty, 'out')));
  });

  it('is package, bill of materials, licences, notes and their checksums, the same for the same tag', async () => {
    const [tag, repository] = [`v${version}`, 'https://forge.example/acme/docs-agent-jobs'];
    const other = join(folder, 'two');
    await git(folder, 'clone', '--quiet', clone, other);
    const files = [];
    for (const where of [clone, other]) {
      const { code, output } = await release(where, tag, '--any-node', '--repository', repository);
      strictEqual(code, 0, output);
      match(output, /releases are made by Node .* --any-node allows it: .* don’t publish it/);
      const into = join(where, 'out', 'release', tag);
      files.push(
        await Promise.all(
          (await readdir(into)).toSorted().map(async (name) => {
            const bytes = await readFile(join(into, name));
            return { name, hash: createHash('sha256').update(bytes).digest('hex') };
          }),
        ),
      );
    }
    deepStrictEqual(files[0], files[1]);
    const names = files[0]?.map(({ name }) => name);
    const vsix = `docs-agent-jobs-${version}.vsix`;
    deepStrictEqual(names, [
      'RELEASE_NOTES.md',
      'SHA256SUMS',
      'ThirdPartyNotices.txt',
      vsix,
      'sbom.cdx.json',
      'sourcemaps.zip',
    ]);
    const into = join(clone, 'out', 'release', tag);
    const maps = Object.keys(unzipSync(await readFile(join(into, 'sourcemaps.zip'))));
    ok(maps.includes('extension.cjs.map') && maps.includes('application.mjs.map') && maps.includes('service.mjs.map'));
    const summed = files[0]?.filter(({ name }) => name !== 'SHA256SUMS').map(({ name, hash }) => `${hash}  ${name}\n`);
    strictEqual(await readFile(join(into, 'SHA256SUMS'), 'utf8'), summed?.join(''));
    const notes = await readFile(join(into, 'RELEASE_NOTES.md'), 'utf8');
    match(notes, /### Added/);
    strictEqual(/^## /m.test(notes), false);
  });
});
