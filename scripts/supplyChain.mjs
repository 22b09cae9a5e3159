// Writes beside the bundles what they are made of: a bill of materials (CycloneDX) and the licences of what is bundled.
// Both are told from esbuild's own metafiles, so that they name exactly what is shipped.
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

/** Writes both files into `dist`. Fails when a bundled package comes without the text of its licence. */
export async function writeSupplyChain(metafiles) {
  const bill = await billOfMaterials({
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  });
  await writeFile(NOTICES, [HEAD, ...bill.components.map(notice)].join('\n'));
  // The texts stand in the notices, once.
  for (const component of [bill.metadata.component, ...bill.components]) {
    delete component.evidence;
  }
  bill.metadata.component.description = JSON.parse(await readFile('package.nls.json', 'utf8')).description;
  await writeFile(BILL, `${JSON.stringify(bill)}\n`);
}

/** What the tool of the CycloneDX project makes of a metafile. It reads one metafile, and of a program its exports hide. */
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
