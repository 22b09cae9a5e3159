// Packages a built extension: node scripts/package.mjs [--strict] [--repository URL] [FOLDER [FILE]].
// The same files give the same bytes, independent of time, path, umask and locale (https://reproducible-builds.org).
// With --strict a warning of vsce is an error. With --repository the manifest gets the repository, its issue tracker
// and the location of the README's pictures. A package without it is only for trying out.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import vsce from '@vscode/vsce';

/** Largest package that may be published, in bytes. */
const MAX_BYTES = 784 * 1024;

/** The earliest time that a ZIP entry can hold, in seconds since 1970. */
const EPOCH = '315532800';

const OPTIONS = ['--no-dependencies', '--skip-license'];

/** Keeps relative links as they are if the repository is unknown. */
const WITHOUT_REPOSITORY = ['--allow-missing-repository', '--no-rewrite-relative-links'];

/** Needed only in a checkout. No script that npm would run goes into the package. */
const OF_THE_CHECKOUT = ['scripts', 'devDependencies', 'overrides'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repository: { type: 'string' }, strict: { type: 'boolean', default: false } },
});
const [folder = '.', named] = positionals;
const own = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
const manifest = values.repository === undefined ? own : { ...own, ...placesOf(values.repository) };
const file = resolve(named ?? `${manifest.name}-${manifest.version}.vsix`);
const stage = await mkdtemp(join(tmpdir(), 'docs-agent-package-'));
try {
  await copyTo(stage);
  await mkdir(dirname(file), { recursive: true });
  const program = join(createRequire(import.meta.url).resolve('@vscode/vsce/package.json'), '..', 'vsce');
  // vsce takes file times from SOURCE_DATE_EPOCH in the time zone TZ, and sorts by locale. Fixed values make the result
  // independent of the machine.
  const env = { ...process.env, SOURCE_DATE_EPOCH: EPOCH, TZ: 'UTC', LC_ALL: 'C' };
  const known = values.repository === undefined ? [] : linksTo(manifest);
  const places = manifest.repository === undefined ? WITHOUT_REPOSITORY : known;
  const options = [...OPTIONS, ...places, '--out', file];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, 'package', ...options], {
    cwd: stage,
    env,
  });
  const said = `${stdout}\n${stderr}`;
  if (values.strict && /\bWARN/.test(said)) {
    throw new Error(`vsce warns of the package; mend what it names, then package again.\n${said}`);
  }
  const { size } = await stat(file);
  if (size > MAX_BYTES) {
    throw new Error(
      `The package has ${size} bytes and may have ${MAX_BYTES}. Find out what grew, or raise the limit here.`,
    );
  }
} finally {
  await rm(stage, { recursive: true, force: true });
}

/** Returns the manifest fields of a repository with this address (https://HOST/OWNER/NAME). */
function placesOf(repository) {
  const url = repository.replace(/(\.git)?\/?$/, '');
  return { repository: { type: 'git', url: `${url}.git` }, bugs: { url: `${url}/issues` }, homepage: `${url}#readme` };
}

/** Makes the README link to the files and pictures of this version, whatever the repository contains later. */
function linksTo({ homepage, version }) {
  const url = homepage.replace(/#readme$/, '');
  return ['--baseContentUrl', `${url}/blob/v${version}`, '--baseImagesUrl', `${url}/raw/v${version}`];
}

/** Copies the files of the package, with the same permissions each time. */
async function copyTo(target) {
  for (const path of await vsce.listFiles({ cwd: folder, packageManager: vsce.PackageManager.None })) {
    const copy = join(target, path);
    await mkdir(dirname(copy), { recursive: true });
    await copyFile(join(folder, path), copy);
    await chmod(copy, 0o644);
  }
  const shipped = Object.entries(manifest).filter(([name]) => !OF_THE_CHECKOUT.includes(name));
  await writeFile(join(target, 'package.json'), `${JSON.stringify(Object.fromEntries(shipped), null, 2)}\n`);
  // The files here are already the chosen ones, but vsce requires a list.
  await writeFile(join(target, '.vscodeignore'), '');
}
