// Packages an extension that was built: node packageExtension.mjs [FOLDER [FILE]]. The same files give the same bytes,
// whenever, wherever and under whichever rights and language they are packaged (https://reproducible-builds.org).
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import vsce from '@vscode/vsce';
import { checkPackage } from './budgets.mjs';

/** The first moment that a ZIP can tell. */
const EPOCH = '315532800';

const OPTIONS = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', '--skip-license'];

/** What only a checkout needs. Nothing that npm would run goes into the package. */
const OF_THE_CHECKOUT = ['scripts', 'devDependencies', 'overrides'];

const [folder = '.', named] = process.argv.slice(2);
const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
const file = resolve(named ?? `${manifest.name}-${manifest.version}.vsix`);
const stage = await mkdtemp(join(tmpdir(), 'docs-agent-package-'));
try {
  await copyTo(stage);
  await mkdir(dirname(file), { recursive: true });
  const program = join(createRequire(import.meta.url).resolve('@vscode/vsce/package.json'), '..', 'vsce');
  // vsce takes times from SOURCE_DATE_EPOCH, in the zone of TZ, and sorts by the language.
  const env = { SOURCE_DATE_EPOCH: EPOCH, ...process.env, TZ: 'UTC', LC_ALL: 'C' };
  await promisify(execFile)(process.execPath, [program, 'package', ...OPTIONS, '--out', file], { cwd: stage, env });
  await checkPackage(folder, file);
} finally {
  await rm(stage, { recursive: true, force: true });
}

/** Copies what goes into the package, with the same rights each time. */
async function copyTo(target) {
  for (const path of await vsce.listFiles({ cwd: folder, packageManager: vsce.PackageManager.None })) {
    const copy = join(target, path);
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(join(folder, path), copy);
    await chmod(copy, 0o644);
  }
  const shipped = Object.entries(manifest).filter(([name]) => !OF_THE_CHECKOUT.includes(name));
  await writeFile(join(target, 'package.json'), `${JSON.stringify(Object.fromEntries(shipped), null, 2)}\n`);
}
