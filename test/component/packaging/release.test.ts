import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { access, chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { build } from 'esbuild';
import { unzipSync } from 'fflate';
import { git } from '../../support/temporaryRepository';
import { checkoutRoot } from '../../support/vscode/paths';
import { run } from '../../support/vscode/run';

/** Folders that a fresh clone does not have, plus the tests, which a release build does not need. */
const UNTRACKED = ['node_modules', '.git', '.cache', 'dist', 'out', 'test'];

/** A Node version that does not exist, so that no test machine runs it. */
const NO_NODE = '1.2.3';

/** Licenses whose only condition is that their text is included. */
const WELCOME = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'CC0-1.0'];

interface Component {
  group?: string;
  name: string;
  version: string;
  purl: string;
  licenses: { license?: { id?: string }; expression?: string }[];
}

/** The packages that esbuild includes in one of the bundles of the extension, or in these. */
async function bundledPackages(more: readonly string[] = []): Promise<string[]> {
  const entries = [
    ...more,
    'src/extension/extension.ts',
    'src/extension/application.ts',
    'src/extension/features/job-page/page/page.tsx',
    'src/local-service/main.ts',
  ];
  const options = { bundle: true, platform: 'node', format: 'esm', splitting: true, outdir: 'out/x' } as const;
  const { metafile } = await build({
    ...options,
    entryPoints: entries,
    external: ['vscode', 'pg-native'],
    write: false,
    metafile: true,
  });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const names = parts.map(([path]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

describe('release script', function () {
  // Two full builds take half a minute on an idle machine.
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
    // Inside the checkout, so that the build finds the tools in its node_modules.
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

  it('explains what to do when the tag is missing or does not match the version', async () => {
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

  it('explains what to do when the checkout differs from the tag', async () => {
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

  it('requires the Node version in .node-version and names the option that allows another one', async () => {
    const { code, output } = await release(clone, `v${version}`);
    strictEqual(code, 1);
    match(output, new RegExp(`This is Node ${process.versions.node}, .* by Node ${NO_NODE}: .*--any-node`));
  });

  it('does not package files left over from an earlier build', async () => {
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

  describe('two releases of the same tag, built by different users', () => {
    let first: string;
    let second: string;
    let files: Record<string, Uint8Array>;

    /** Builds the release in its own clone with its own umask, file times and locale. Returns the output folder. */
    async function releaseIn(where: string, way: { umask: string; mode: number; when: Date; env: NodeJS.ProcessEnv }) {
      const tag = `v${version}`;
      await mkdir(join(where, '..'), { recursive: true });
      await git(folder, 'clone', '--quiet', clone, where);
      await git(where, 'config', 'core.fileMode', 'false');
      // Bundled libraries are copied because their path affects the build output.
      // The tools come from the parent checkout.
      for (const name of await bundledPackages(['src/team-service/main.ts'])) {
        const path = join('node_modules', name);
        await cp(join(checkoutRoot, path), join(where, path), { recursive: true });
      }
      for (const entry of await readdir(where, { withFileTypes: true, recursive: true })) {
        const path = join(entry.parentPath, entry.name);
        await (entry.isFile() ? chmod(path, way.mode) : undefined);
        await utimes(path, way.when, way.when);
      }
      const args = `${tag} --any-node --repository https://forge.example/acme/docs-agent-jobs`;
      const script = `umask ${way.umask}; '${process.execPath}' scripts/release.mjs ${args}`;
      const { code, output } = await run('sh', ['-c', script], { cwd: where, env: { ...process.env, ...way.env } });
      strictEqual(code, 0, output);
      match(output, /releases are made by Node .* --any-node allows it: .* don’t publish it/);
      return join(where, 'out', 'release', tag);
    }

    before(async () => {
      const one = { umask: '022', mode: 0o644, when: new Date(1e12), env: { TZ: 'Asia/Tokyo', LANG: 'C' } };
      const other = {
        ...{ umask: '077', mode: 0o600, when: new Date(1.5e12) },
        env: { TZ: 'America/Lima', LANG: 'sv_SE.UTF-8', SOURCE_DATE_EPOCH: '1600000000' },
      };
      first = await releaseIn(join(folder, 'first'), one);
      second = await releaseIn(join(folder, 'somewhere', 'else'), other);
      files = unzipSync(await readFile(join(first, `docs-agent-jobs-${version}.vsix`)));
    });

    const text = (name: string): string => Buffer.from(files[`extension/${name}`] ?? []).toString('utf8');
    const components = (): Component[] =>
      (JSON.parse(text('dist/sbom.cdx.json')) as { components: Component[] }).components;
    const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

    it('produces identical package, SBOM, licenses, source maps, notes and checksums', async () => {
      const hashes = async (into: string): Promise<string[][]> =>
        Promise.all(
          (await readdir(into)).toSorted().map(async (name) => {
            const bytes = await readFile(join(into, name));
            return [createHash('sha256').update(bytes).digest('hex'), name];
          }),
        );
      const made = await hashes(first);
      deepStrictEqual(await hashes(second), made);
      deepStrictEqual(
        made.map(([, name]) => name),
        [
          ...['RELEASE_NOTES.md', 'SHA256SUMS', 'ThirdPartyNotices.txt'],
          `docs-agent-check-${version}.tgz`,
          ...[`docs-agent-jobs-${version}.vsix`, `docs-agent-service-${version}.tgz`],
          ...['sbom.cdx.json', 'sourcemaps.zip'],
        ],
      );
      const maps = Object.keys(unzipSync(await readFile(join(first, 'sourcemaps.zip'))));
      ok(['extension.cjs', 'application.mjs', 'service.mjs'].every((name) => maps.includes(`${name}.map`)));
      const summed = made.filter(([, name]) => name !== 'SHA256SUMS').map((each) => `${each.join('  ')}\n`);
      strictEqual(await readFile(join(first, 'SHA256SUMS'), 'utf8'), summed.join(''));
      const notes = await readFile(join(first, 'RELEASE_NOTES.md'), 'utf8');
      match(notes, /### Added/);
      strictEqual(/^## /m.test(notes), false);
    });

    it('packages exactly the expected files', () => {
      const made = /^extension\/dist\/chunks\/[\w.-]+\.mjs$/;
      const names = Object.keys(files).filter((name) => !made.test(name));
      const states = ['bad', 'good', 'plain', 'running', 'waiting', 'warning', 'merged'];
      deepStrictEqual(
        names.toSorted(),
        [
          ...['[Content_Types].xml', 'extension.vsixmanifest'],
          ...['LICENSE.txt', 'changelog.md', 'readme.md'].map((name) => `extension/${name}`),
          ...['package.json', 'package.nls.json', 'package.nls.de.json'].map((name) => `extension/${name}`),
          ...['application.mjs', 'extension.cjs', 'service.mjs'].map((name) => `extension/dist/${name}`),
          ...['jobPage.css', 'jobPage.js'].map((name) => `extension/dist/${name}`),
          ...['ThirdPartyNotices.txt', 'sbom.cdx.json'].map((name) => `extension/dist/${name}`),
          'extension/l10n/bundle.l10n.de.json',
          ...['activity.svg', 'demoAgent.mjs', 'icon.png'].map((name) => `extension/media/${name}`),
          ...states.flatMap((state) => [
            `extension/media/job/${state}-dark.svg`,
            `extension/media/job/${state}-light.svg`,
          ]),
          ...['grammar', 'language'].map((name) => `extension/media/prompt/${name}.json`),
          ...['Document my changes', 'Update this page', 'Write a how-to'].map(
            (name) => `extension/media/templates/${name}.md`,
          ),
          ...['check', 'firstJob', 'firstReview', 'hosted', 'local'].map(
            (name) => `extension/media/walkthrough/${name}.svg`,
          ),
        ].toSorted(),
      );
    });

    it('does not include paths of the build machine in the package', () => {
      const telling = Object.entries(files).filter(([, bytes]) => Buffer.from(bytes).includes(folder));
      deepStrictEqual(
        telling.map(([name]) => name),
        [],
      );
    });

    it('lists exactly the bundled packages in the SBOM', async () => {
      deepStrictEqual(components().map(nameOf).toSorted(), await bundledPackages());
      for (const { name, version, purl } of components()) {
        ok(purl.startsWith('pkg:npm/') && purl.includes(version), name);
      }
    });

    it('writes an SBOM that is valid against the CycloneDX schema', async () => {
      const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
      strictEqual(await validator.validate(text('dist/sbom.cdx.json')), null);
      ok((await validator.validate('{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{}]}')) !== null);
    });

    it('includes the license text of every bundled package and only permissive licenses', () => {
      const notices = text('dist/ThirdPartyNotices.txt');
      for (const component of components()) {
        const ids = component.licenses.map(({ license, expression }) => license?.id ?? expression ?? '');
        ok(ids.length > 0 && ids.every((id) => WELCOME.includes(id)), `${component.name}: ${ids.join()}`);
        const title = `${nameOf(component)} ${component.version} (${ids.join(', ')})`;
        const own = notices.split(`\n${title}\n`)[1]?.split('\n=====')[0] ?? '';
        match(own, /Copyright|Apache License/i, title);
      }
    });

    it('has no install scripts, uninstall scripts or native code', () => {
      const manifest = JSON.parse(text('package.json')) as Record<string, unknown>;
      for (const name of ['scripts', 'dependencies', 'devDependencies', 'extensionDependencies', 'gypfile']) {
        strictEqual(manifest[name], undefined, name);
      }
      const kinds = new Set(Object.keys(files).map((name) => /\.\w+$/.exec(name)?.[0]));
      // undici includes its HTTP parser as WebAssembly inside a script.
      const plain = ['.cjs', '.css', '.js', '.json', '.md', '.mjs', '.png', '.svg', '.txt', '.vsixmanifest', '.xml'];
      deepStrictEqual([...kinds].toSorted(), plain);
      const magic = ['7f454c46', '4d5a', 'cffaedfe', 'feedfacf', 'cafebabe', '0061736d'];
      for (const [name, bytes] of Object.entries(files)) {
        const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
        ok(!magic.some((each) => start.startsWith(each)), name);
      }
    });
  });
});

describe('package-lock.json', () => {
  interface Locked {
    resolved?: string;
    integrity?: string;
    link?: boolean;
    inBundle?: boolean;
  }

  it('has a hash for every package and no download URLs', async () => {
    const lock = JSON.parse(await readFile(join(checkoutRoot, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
    ok(packages.length > 100);
    deepStrictEqual(
      packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
      [],
    );
    // A package bundled in another package’s archive is covered by that archive’s hash.
    const unhashed = packages.filter(
      ([, each]) => each.integrity?.startsWith('sha512-') !== true && each.inBundle !== true,
    );
    deepStrictEqual(
      unhashed.map(([path]) => path),
      [],
    );
  });

  it('pins every dependency in package.json to an exact version', async () => {
    const { devDependencies } = JSON.parse(await readFile(join(checkoutRoot, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    deepStrictEqual(
      Object.entries(devDependencies).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
      [],
    );
  });
});
