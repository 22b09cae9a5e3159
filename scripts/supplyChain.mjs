// Writes what the bundles consist of next to them: a bill of materials (CycloneDX) and the licenses of the bundled
// packages. Both are derived from esbuild's own metafiles, so they list exactly what is shipped.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const BILL = 'sbom.cdx.json';
const NOTICES = 'ThirdPartyNotices.txt';

const HEAD = `Docs Agent Jobs contains the following third-party software. Each part is used under the licence that stands with it.
`;

/** Writes both files into a folder. Throws if a bundled package has no license text. */
export async function writeSupplyChain(metafiles, folder = 'dist') {
  const bill = await billOfMaterials({
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => filesOf(inputs))),
    outputs: Object.fromEntries(
      metafiles.flatMap(({ outputs }) =>
        Object.entries(outputs).map(([name, output]) => [name, { ...output, inputs: filesOf(output.inputs) }]),
      ),
    ),
  });
  await writeFile(join(folder, NOTICES), [HEAD, ...(await Promise.all(bill.components.map(notice)))].join('\n'));
  // The notices already contain the license texts.
  for (const component of [bill.metadata.component, ...bill.components]) {
    delete component.evidence;
  }
  bill.metadata.component.description = JSON.parse(await readFile('package.nls.json', 'utf8')).description;
  await writeFile(join(folder, BILL), `${JSON.stringify(bill)}\n`);
}

/** Without the modules that a plugin made up, whose names begin with a namespace. */
function filesOf(inputs) {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !/^[\w-]+:/.test(name)));
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

async function notice({ group, name, version, licenses, evidence }) {
  const fullName = group === undefined ? name : `${group}/${name}`;
  const texts = (evidence?.licenses ?? []).map(({ license }) => textOf(license.text));
  if (texts.length === 0) {
    texts.push(...(await textInReadme(fullName)));
  }
  if (texts.length === 0) {
    throw new Error(`${fullName} is bundled and comes without the text of its licence`);
  }
  const names = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name);
  const title = `${fullName} ${version} (${names.join(', ')})`;
  return [`${'='.repeat(title.length)}\n${title}\n${'='.repeat(title.length)}\n`, ...texts].join('\n');
}

/** Some packages have the text only at the end of their README. */
async function textInReadme(name) {
  const readme = await readFile(join('node_modules', name, 'README.md'), 'utf8').catch(() => '');
  const [, content = ''] = /\n#+ licen[cs]e\n([\s\S]*)$/i.exec(readme.replaceAll('\r\n', '\n')) ?? [];
  return content.includes('Permission is hereby granted') ? [textOf({ content })] : [];
}

function textOf({ content, encoding }) {
  const text = encoding === 'base64' ? Buffer.from(content, 'base64').toString('utf8') : content;
  return `${text.replaceAll('\r\n', '\n').trim()}\n`;
}
