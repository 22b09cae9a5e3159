// Builds the npm package of the service for a team: node scripts/servicePackage.mjs [--repository URL] [FOLDER].
// Writes docs-agent-service-VERSION.tgz to the folder (default: out). It contains the bundle with all libraries, so that
// installing it downloads nothing, and what a container needs. The same files give the same bytes.
import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';
import { bundleOptions, moduleOptions } from './bundleOptions.mjs';
import { writeSupplyChain } from './supplyChain.mjs';

const NAME = 'docs-agent-service';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { repository: { type: 'string' } } });
const target = resolve(positionals[0] ?? 'out');
await mkdir(target, { recursive: true });
// Within the checkout: the bill of materials names files relative to it.
await mkdir('out', { recursive: true });
const folder = await mkdtemp(join('out', 'service-package-'));
try {
  const common = { ...bundleOptions(false), sourcemap: false, outdir: folder };
  const program = { ...moduleOptions(common), entryPoints: [{ in: 'src/team-service/main.ts', out: NAME }] };
  // Optional: libpq instead of JavaScript.
  program.external = [...program.external, 'pg-native'];
  const { metafile } = await build(program);
  await writeSupplyChain([metafile], folder);
  await copyFile('LICENSE', join(folder, 'LICENSE'));
  await copyFile('docs/team-service.md', join(folder, 'README.md'));
  await cp('deploy', join(folder, 'deploy'), { recursive: true });
  const manifest = await manifestOf(JSON.parse(await readFile('package.json', 'utf8')));
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

async function manifestOf({ version, license, engines, repository: own }) {
  const address = values.repository?.replace(/(\.git)?\/?$/, '');
  const repository = address === undefined ? own : { type: 'git', url: `${address}.git` };
  return {
    name: NAME,
    version,
    description: 'A service that runs coding agents on documentation, for a team',
    license,
    ...(repository === undefined ? {} : { repository }),
    type: 'module',
    bin: { [NAME]: `${NAME}.mjs` },
    engines: { node: engines.node },
    files: ['*.mjs', '*.js', '*.txt', '*.json', 'chunks', 'deploy'],
  };
}
