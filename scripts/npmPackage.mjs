// Builds an npm package: node scripts/npmPackage.mjs [--repository URL] NAME [FOLDER], with one of the names below.
// Writes NAME-VERSION.tgz to the folder (default: out). It contains the bundle with all libraries, so that installing it
// downloads nothing else. The same files give the same bytes.
import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';
import { bundleOptions, moduleOptions } from './bundleOptions.mjs';
import { writeSupplyChain } from './supplyChain.mjs';

const PACKAGES = {
  'docs-agent-service': {
    description: 'A service that runs coding agents on documentation, for a team',
    entry: 'src/team-service/main.ts',
    readme: 'docs/team-service.md',
    // What a container needs.
    folders: ['deploy'],
    // Optional: libpq instead of JavaScript.
    external: ['pg-native'],
  },
  'docs-agent-check': {
    description: 'Checks documentation against the code and its history',
    entry: 'src/local-service/check/program.ts',
    readme: 'src/local-service/check/README.md',
    folders: [],
    external: [],
  },
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { repository: { type: 'string' } } });
const [name, to = 'out'] = positionals;
const of = PACKAGES[name];
if (of === undefined) {
  throw new Error(`Name a package: ${Object.keys(PACKAGES).join(' or ')}.`);
}
const target = resolve(to);
await mkdir(target, { recursive: true });
// Within the checkout: the bill of materials names files relative to it.
await mkdir('out', { recursive: true });
const folder = await mkdtemp(join('out', 'npm-package-'));
try {
  const common = { ...bundleOptions(false), sourcemap: false, outdir: folder };
  const program = { ...moduleOptions(common), entryPoints: [{ in: of.entry, out: name }] };
  program.external = [...program.external, ...of.external];
  const { metafile } = await build(program);
  await writeSupplyChain([metafile], folder);
  await copyFile('LICENSE', join(folder, 'LICENSE'));
  await copyFile(of.readme, join(folder, 'README.md'));
  for (const each of of.folders) {
    await cp(each, join(folder, each), { recursive: true });
  }
  const manifest = manifestOf(JSON.parse(await readFile('package.json', 'utf8')));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // Whatever the umask is.
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await chmod(join(each.parentPath, each.name), each.isFile() ? 0o644 : 0o755);
  }
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await promisify(execFile)(npm, ['pack', '--silent', '--pack-destination', target], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}

function manifestOf({ version, license, engines, repository: own }) {
  const address = values.repository?.replace(/(\.git)?\/?$/, '');
  const repository = address === undefined ? own : { type: 'git', url: `${address}.git` };
  return {
    name,
    version,
    description: of.description,
    license,
    ...(repository === undefined ? {} : { repository }),
    type: 'module',
    bin: { [name]: `${name}.mjs` },
    engines: { node: engines.node },
    files: ['*.mjs', '*.js', '*.txt', '*.json', 'chunks', ...of.folders],
  };
}
