import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { build } from 'esbuild';
import { unzipSync } from 'fflate';
import { checkoutRoot } from '../../support/vscode/paths';
import { runChecked } from '../../support/vscode/run';

/** Licences that ask for no more than their text beside what is shipped. */
const WELCOME = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0', 'CC0-1.0'];

/** What a checkout holds and a build does not read. */
const UNREAD = ['node_modules', '.git', '.cache', 'dist', 'out', 'test'];

interface Component {
  group?: string;
  name: string;
  version: string;
  purl: string;
  licenses: { license?: { id?: string }; expression?: string }[];
}

/** Copies the checkout, builds and packages it there, in its own time, rights and language. Returns the package. */
async function packageCopy(folder: string, way: { umask: string; mode: number; when: Date; env: NodeJS.ProcessEnv }) {
  for (const name of (await readdir(checkoutRoot)).filter((each) => !UNREAD.includes(each))) {
    await cp(join(checkoutRoot, name), join(folder, name), { recursive: true });
  }
  // As after an install there: where a library lies is part of what is built. The tools are found further up.
  for (const name of await bundledPackages()) {
    const path = join('node_modules', name);
    await cp(join(checkoutRoot, path), join(folder, path), { recursive: true });
  }
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    await (entry.isFile() ? chmod(path, way.mode) : undefined);
    await utimes(path, way.when, way.when);
  }
  const script = `umask ${way.umask}; '${process.execPath}' scripts/esbuild.mjs && '${process.execPath}' scripts/package.mjs --strict . x.vsix`;
  await runChecked('sh', ['-c', script], { cwd: folder, env: { ...process.env, ...way.env } });
  return readFile(join(folder, 'x.vsix'));
}

/** The packages of which esbuild puts a part into one of the bundles. */
async function bundledPackages(): Promise<string[]> {
  const entries = [
    'src/extension/extension.ts',
    'src/extension/application.ts',
    'src/extension/views/jobPage/page/page.tsx',
    'src/service/main.ts',
  ];
  const options = { bundle: true, platform: 'node', format: 'esm', splitting: true, outdir: 'out/x' } as const;
  const { metafile } = await build({
    ...options,
    entryPoints: entries,
    external: ['vscode'],
    write: false,
    metafile: true,
  });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const names = parts.map(([path]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

describe('the package', function () {
  // Two whole builds, which take half a minute on an idle machine.
  this.timeout(900_000);
  let folder: string;
  let first: Buffer;
  let second: Buffer;
  let files: Record<string, Uint8Array>;
  before(async () => {
    await mkdir(join(checkoutRoot, 'out'), { recursive: true });
    folder = await mkdtemp(join(checkoutRoot, 'out', 'package-'));
    const one = { umask: '022', mode: 0o644, when: new Date(1e12), env: { TZ: 'Asia/Tokyo', LANG: 'C' } };
    const other = {
      umask: '077',
      mode: 0o600,
      when: new Date(1.5e12),
      env: { TZ: 'America/Lima', LANG: 'sv_SE.UTF-8', SOURCE_DATE_EPOCH: '1600000000' },
    };
    first = await packageCopy(join(folder, 'one'), one);
    second = await packageCopy(join(folder, 'somewhere', 'else'), other);
    files = unzipSync(first);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const text = (name: string): string => Buffer.from(files[`extension/${name}`] ?? []).toString('utf8');
  const components = (): Component[] =>
    (JSON.parse(text('dist/sbom.cdx.json')) as { components: Component[] }).components;
  const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

  it('is the same, byte for byte, whoever makes it, when and where', () => {
    const differing = Object.entries(unzipSync(second))
      .filter(([name, bytes]) => !Buffer.from(bytes).equals(files[name] ?? Buffer.alloc(0)))
      .map(([name]) => name);
    deepStrictEqual(differing, []);
    const [one, other] = [first, second].map((bytes) => createHash('sha256').update(bytes).digest('hex'));
    strictEqual(one, other);
  });

  it('holds these files and no other', () => {
    const made = /^extension\/dist\/(chunks|service)\/[\w.-]+\.mjs$/;
    const names = Object.keys(files).filter((name) => !made.test(name));
    const states = ['bad', 'good', 'plain', 'running', 'waiting', 'warning'];
    deepStrictEqual(
      names.toSorted(),
      [
        ...['[Content_Types].xml', 'extension.vsixmanifest'],
        ...['LICENSE.txt', 'SECURITY.md', 'changelog.md', 'readme.md'].map((name) => `extension/${name}`),
        ...['package.json', 'package.nls.json', 'package.nls.de.json'].map((name) => `extension/${name}`),
        ...['application.mjs', 'extension.cjs', 'service.mjs'].map((name) => `extension/dist/${name}`),
        ...['jobPage.css', 'jobPage.js', 'reviewPage.js'].map((name) => `extension/dist/${name}`),
        ...['ThirdPartyNotices.txt', 'sbom.cdx.json'].map((name) => `extension/dist/${name}`),
        'extension/l10n/bundle.l10n.de.json',
        ...['activity.svg', 'icon.png'].map((name) => `extension/media/${name}`),
        ...states.flatMap((state) => [
          `extension/media/job/${state}-dark.svg`,
          `extension/media/job/${state}-light.svg`,
        ]),
        ...['firstJob', 'firstReview', 'hosted', 'local'].map((name) => `extension/media/walkthrough/${name}.svg`),
      ].toSorted(),
    );
  });

  it('tells no path of the machine that made it', () => {
    const telling = Object.entries(files).filter(([, bytes]) => Buffer.from(bytes).includes(checkoutRoot));
    deepStrictEqual(
      telling.map(([name]) => name),
      [],
    );
  });

  it('lists in its bill of materials what is bundled and nothing else', async () => {
    deepStrictEqual(components().map(nameOf).toSorted(), await bundledPackages());
    for (const { name, version, purl } of components()) {
      ok(purl.startsWith('pkg:npm/') && purl.includes(version), name);
    }
  });

  it('has a bill of materials that the schema of its standard accepts', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    strictEqual(await validator.validate(text('dist/sbom.cdx.json')), null);
    ok((await validator.validate('{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{}]}')) !== null);
  });

  it('brings the licence of all that is bundled, and none that asks for more', () => {
    const notices = text('dist/ThirdPartyNotices.txt');
    for (const component of components()) {
      const ids = component.licenses.map(({ license, expression }) => license?.id ?? expression ?? '');
      ok(ids.length > 0 && ids.every((id) => WELCOME.includes(id)), `${component.name}: ${ids.join()}`);
      const title = `${nameOf(component)} ${component.version} (${ids.join(', ')})`;
      const own = notices.split(`\n${title}\n`)[1]?.split('\n=====')[0] ?? '';
      match(own, /Copyright|Apache License/i, title);
    }
  });

  it('has nothing that runs when it is installed or removed, and no native code', () => {
    const manifest = JSON.parse(text('package.json')) as Record<string, unknown>;
    for (const name of ['scripts', 'dependencies', 'devDependencies', 'extensionDependencies', 'gypfile']) {
      strictEqual(manifest[name], undefined, name);
    }
    const kinds = new Set(Object.keys(files).map((name) => /\.\w+$/.exec(name)?.[0]));
    // One is undici's parser of HTTP, which it brings as WebAssembly.
    const plain = ['.cjs', '.css', '.js', '.json', '.md', '.mjs', '.png', '.svg', '.txt', '.vsixmanifest', '.xml'];
    deepStrictEqual([...kinds].toSorted(), plain);
    const magic = ['7f454c46', '4d5a', 'cffaedfe', 'feedfacf', 'cafebabe', '0061736d'];
    for (const [name, bytes] of Object.entries(files)) {
      const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
      ok(!magic.some((each) => start.startsWith(each)), name);
    }
  });
});

describe('package-lock.json', () => {
  interface Locked {
    resolved?: string;
    integrity?: string;
    link?: boolean;
    inBundle?: boolean;
  }

  it('holds a hash of every package and no address to load one from', async () => {
    const lock = JSON.parse(await readFile(join(checkoutRoot, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Locked>;
    };
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
    ok(packages.length > 100);
    deepStrictEqual(
      packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
      [],
    );
    // A package inside another's archive is hashed with it.
    const unhashed = packages.filter(
      ([, each]) => each.integrity?.startsWith('sha512-') !== true && each.inBundle !== true,
    );
    deepStrictEqual(
      unhashed.map(([path]) => path),
      [],
    );
  });

  it('holds exactly what package.json names, each pinned', async () => {
    const { devDependencies } = JSON.parse(await readFile(join(checkoutRoot, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    deepStrictEqual(
      Object.entries(devDependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
      [],
    );
  });
});
