// Creates the files of a release from a tag: node scripts/release.mjs vX.Y.Z [--repository URL] [--any-node].
// Writes the package, the npm packages of the service for a team and of the check, the bill of materials, the licenses of the bundled packages,
// the source maps, the release notes and the checksums to out/release/vX.Y.Z. The same tag gives the same bytes after `npm ci` on the Node version in
// .node-version (another version may compress differently). Nothing is uploaded: publish by hand or with
// .github/workflows/release.yml.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { zipSync } from 'fflate';

const run = async (file, ...args) => (await promisify(execFile)(file, args)).stdout.trim();
const git = (...args) => run('git', ...args);

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { repository: { type: 'string' }, 'any-node': { type: 'boolean', default: false } },
  });
  if (positionals.length > 1) {
    throw new Error(`Name the tag and nothing more: ${positionals.slice(1).join(' ')} is too much.`);
  }
  const [tag = ''] = positionals;
  const { name, version, repository, main } = JSON.parse(await readFile('package.json', 'utf8'));
  const notes = await checked(tag, version);
  await checkNode(values['any-node']);
  const into = join('out', 'release', tag);
  await make({ into, file: `${name}-${version}.vsix`, main, notes, repository: values.repository });
  process.stdout.write(`Made ${into}. Try the package, then publish that very file.\n`);
  if (values.repository === undefined && repository === undefined) {
    process.stdout.write('It names no repository: give its address with --repository to publish it.\n');
  }
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`Nothing was released. ${error instanceof Error ? error.message : String(error)}\n`);
}

/** Returns the release notes. Throws with instructions if the checkout is not the tagged commit or is not ready. */
async function checked(tag, version) {
  if (!/^v\d+\.\d+\.\d+$/.test(tag)) {
    throw new Error(`Name the tag, as in: npm run release -- v${version}`);
  }
  if (tag !== `v${version}`) {
    throw new Error(
      `package.json says version ${version} and the tag ${tag}: change one of them, commit, and tag anew.`,
    );
  }
  const tagged = await git('rev-parse', '--quiet', '--verify', `refs/tags/${tag}^{commit}`).catch(() => undefined);
  if (tagged === undefined) {
    throw new Error(`There is no tag ${tag}: make it with “git tag ${tag}”, or fetch it with “git fetch --tags”.`);
  }
  if (tagged !== (await git('rev-parse', 'HEAD'))) {
    throw new Error(`The tag ${tag} is another commit than the one checked out: run “git checkout ${tag}” first.`);
  }
  const changed = await git('status', '--porcelain');
  if (changed !== '') {
    throw new Error(`There are changes that the tag does not hold; commit them or put them away:\n${changed}`);
  }
  return notesOf(version, await readFile('CHANGELOG.md', 'utf8'));
}

/** Returns the section of a version, without its heading. */
function notesOf(version, changelog) {
  const section = changelog.split(/^## /m).find((each) => each.split(/\s/, 1)[0] === version);
  const text = section?.slice(section.indexOf('\n')).trim() ?? '';
  if (text === '') {
    throw new Error(`CHANGELOG.md has no section “## ${version}” with text in it: write what is new, and tag anew.`);
  }
  return `${text}\n`;
}

/** Throws if the Node version differs from .node-version. If any version is allowed, prints a note instead. */
async function checkNode(isAnyAllowed) {
  const wanted = (await readFile('.node-version', 'utf8')).trim();
  const present = process.versions.node;
  if (present === wanted) {
    return;
  }
  const differs = `This is Node ${present}, and releases are made by Node ${wanted}: another may give other bytes.`;
  if (!isAnyAllowed) {
    throw new Error(`${differs} Install that one, or try without it by --any-node.`);
  }
  process.stdout.write(`${differs} --any-node allows it: try what is made, but don’t publish it.\n`);
}

async function make({ into, file, main, notes, repository }) {
  await rm(into, { recursive: true, force: true });
  // Files of an earlier build must not be taken for this one's.
  await rm('dist', { recursive: true, force: true });
  await run(process.execPath, 'scripts/esbuild.mjs');
  await access(main).catch(() => {
    throw new Error(
      `The build ended without an error, but made no ${main}: run “node scripts/esbuild.mjs” and see what it says.`,
    );
  });
  await mkdir(into, { recursive: true });
  const address = repository === undefined ? [] : ['--repository', repository];
  await run(process.execPath, 'scripts/package.mjs', '--strict', ...address, '.', join(into, file));
  for (const each of ['docs-agent-service', 'docs-agent-check']) {
    await run(process.execPath, 'scripts/npmPackage.mjs', ...address, each, into);
  }
  await copyFile(join('dist', 'sbom.cdx.json'), join(into, 'sbom.cdx.json'));
  await copyFile(join('dist', 'ThirdPartyNotices.txt'), join(into, 'ThirdPartyNotices.txt'));
  await writeFile(join(into, 'sourcemaps.zip'), await sourceMaps());
  await writeFile(join(into, 'RELEASE_NOTES.md'), notes);
  const names = (await readdir(into)).toSorted();
  const lines = await Promise.all(names.map(async (each) => `${await hashOf(join(into, each))}  ${each}\n`));
  await writeFile(join(into, 'SHA256SUMS'), lines.join(''));
}

/** Returns all source maps of `dist` in one ZIP, for reading the stack traces of users. */
async function sourceMaps() {
  const names = (await readdir('dist', { recursive: true })).filter((name) => name.endsWith('.map')).toSorted();
  const files = await Promise.all(
    names.map(async (name) => [name.replaceAll('\\', '/'), await readFile(join('dist', name))]),
  );
  return zipSync(Object.fromEntries(files), { mtime: '1980-01-01T00:00:00', level: 9 });
}

async function hashOf(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
