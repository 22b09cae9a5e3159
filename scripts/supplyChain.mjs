// Writes what the bundles consist of next to them: a bill of materials (CycloneDX) and the licenses of the bundled
// packages. Both are derived from esbuild's own metafiles, so they list exactly what is shipped.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BILL = 'dist/sbom.cdx.json';
const NOTICES = 'dist/ThirdPartyNotices.txt';

const HEAD = `Docs Agent Jobs contains the following third-party software. Each part is used under the licence that stands with it.
`;

/** Writes both files into `dist`. Throws if a bundled package has no license text. */
export async function writeSupplyChain(metafiles) {
  const bill = await billOfMaterials({
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  });
  await writeFile(NOTICES, [HEAD, ...bill.components.map(notice)].join('\n'));
  // The notices already contain the license texts.
  for (const component of [bill.metadata.component, ...bill.components]) {
    delete component.evidence;
  }
  bill.metadata.component.description = JSON.parse(await readFile('package.nls.json', 'utf8')).description;
  await writeFile(BILL, `${JSON.stringify(bill)}\n`);
}

/**
 * Runs the tool of the CycloneDX project on a metafile. It accepts only one metafile, and the package's exports hide
 * its program.
 */
async function billOfMaterials(metafile) {
  const plugin = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-esbuild');
  const program = join(plugin, '..', '..', 'bin', 'cyclonedx-esbuild-cli.js');
  const folder = await mkdtemp(join(tmpdir(), 'docs-agent-bill-'));
  try {
    const [input, output] = [join(folder, 'metafile.json'), join(folder, 'bill.json')];
    await writeFile(input, JSON.stringify(metafile));
    const options = ['--gather-license-texts', '--output-reproducible', '--validate', '--output-file', output];
    await promisify(execFile)(process.execPath, [program, ...options, input]);
    return JSON.parse(await readFile(output, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function notice({ group, name, version, licenses, evidence }) {
  const fullName = group === undefined ? name : `${group}/${name}`;
  const texts = (evidence?.licenses ?? []).map(({ license }) => textOf(license.text));
  if (texts.length === 0) {
    throw new Error(`${fullName} is bundled and comes without the text of its licence`);
  }
  const names = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name);
  const title = `${fullName} ${version} (${names.join(', ')})`;
  return [`${'='.repeat(title.length)}\n${title}\n${'='.repeat(title.length)}\n`, ...texts].join('\n');
}

function textOf({ content, encoding }) {
  const text = encoding === 'base64' ? Buffer.from(content, 'base64').toString('utf8') : content;
  return `${text.replaceAll('\r\n', '\n').trim()}\n`;
}
