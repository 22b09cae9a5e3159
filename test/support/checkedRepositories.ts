import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Dice, seededRandom } from './scale';
import { git, temporaryFolder } from './temporaryRepository';

/** A rename that the documentation missed. */
export interface PlantedRename {
  /** As the page shows it. */
  shown: string;
  path: string;
  line: number;
  successor: string;
}

export interface RenamedRepository {
  folder: string;
  renames: PlantedRename[];
  /** Old names that pages are right to show. */
  decoys: string[];
  /** The commit that renamed everything. */
  renaming: string;
}

const VERBS = ['fetch', 'retry', 'merge', 'parse', 'flush', 'reload', 'resolve', 'collect', 'publish', 'verify'];
const NOUNS = ['Batch', 'Session', 'Cursor', 'Segment', 'Bucket', 'Ticket', 'Replica', 'Shard', 'Worker', 'Cluster'];
const MORE = ['Limit', 'Window', 'Policy', 'Timeout', 'Strategy', 'Budget', 'Interval', 'Quota', 'Ceiling', 'Depth'];

/** Three parts that no other call returns. */
type Parts = () => readonly [string, string, string];

function parts(dice: Dice): Parts {
  const pick = (from: readonly string[]): string => from[Math.floor(dice() * from.length)] ?? '';
  const seen = new Set<string>();
  return () => {
    for (;;) {
      const found = [pick(VERBS), pick(NOUNS), pick(MORE)] as const;
      if (!seen.has(found.join(''))) {
        seen.add(found.join(''));
        return found;
      }
    }
  };
}

interface Kind {
  /** How a page shows the name, and how the code has it. */
  shown: (parts: readonly string[]) => string;
  code: (parts: readonly string[]) => string;
}

const lower = (words: readonly string[], by: string): string => words.map((word) => word.toLowerCase()).join(by);
const camel = (words: readonly string[]): string => words.join('');

const KINDS: readonly Kind[] = [
  { shown: camel, code: (words) => `export function ${camel(words)}(): void {}` },
  { shown: (words) => `${camel(words)}()`, code: (words) => `export const ${camel(words)} = () => undefined;` },
  { shown: (words) => `--${lower(words, '-')}`, code: (words) => `option('${lower(words, '-')}');` },
  { shown: (words) => lower(words, '_').toUpperCase(), code: (words) => `read('${lower(words, '_').toUpperCase()}');` },
  { shown: (words) => `settings.${camel(words)}`, code: (words) => `export const s = { ${camel(words)}: 1 };` },
];

const HEADS: Readonly<Record<string, (title: string) => string>> = {
  md: (title) => `---\ntitle: ${title}\n---\n\n# ${title}\n\n`,
  mdx: (title) => `import { Card } from './card';\n\n# ${title}\n\n<Card title="x">\n`,
  adoc: (title) => `= ${title}\n\n`,
  rst: (title) => `${title}\n${'='.repeat(title.length)}\n\n`,
};

/** 30 renames that pages missed, and 30 names that look like it but are right, in a repository with a history. */
export async function renamedRepository(seed: number): Promise<RenamedRepository> {
  const dice = seededRandom(seed);
  const next = parts(dice);
  const folder = await temporaryFolder();
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await git(folder, 'init', '--quiet');
  const renames: PlantedRename[] = [];
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  const pages = new Map<string, string>();
  const endings = Object.keys(HEADS);
  for (let index = 0; index < 30; index++) {
    const words = next();
    const renamed = [words[0], `${words[1]}${next()[1]}`, words[2]] as const;
    const kind = KINDS[index % KINDS.length]!;
    const file = `src/part${index % 7}.ts`;
    before.set(file, [...(before.get(file) ?? ['// Part']), kind.code(words), `const kept${index} = 1;`]);
    after.set(file, [...(after.get(file) ?? ['// Part']), kind.code(renamed), `const kept${index} = 1;`]);
    const ending = endings[index % endings.length]!;
    const path = `docs/guide/page${index % 8}.${ending}`;
    const text = pages.get(path) ?? HEADS[ending]!(`Page ${index % 8}`);
    const tick = ending === 'rst' ? '``' : '`';
    const shown = kind.shown(words);
    pages.set(path, `${text}Use ${tick}${shown}${tick} with ${tick}kept${index}${tick} here.\n\n`);
    renames.push({ shown: shown.replace('()', ''), path, line: text.split('\n').length, successor: camel(renamed) });
  }
  const decoys = await writeDecoys(next, before, write);
  const all = async (files: ReadonlyMap<string, string[]>): Promise<void> => {
    for (const [path, lines] of files) {
      await write(path, `${lines.join('\n')}\n`);
    }
  };
  await all(before);
  for (const [path, text] of pages) {
    await write(path, text);
  }
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '-m', 'Start');
  await write('src/other.ts', 'export const other = 1;\n');
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '-m', 'Add another part');
  await rm(join(folder, 'src/decoys.ts'));
  await all(after);
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '-m', 'Rename what the parts are called');
  const renaming = (await git(folder, 'rev-parse', 'HEAD')).trim();
  return { folder, renames, decoys, renaming };
}

async function writeDecoys(
  next: Parts,
  before: Map<string, string[]>,
  write: (path: string, text: string) => Promise<void>,
): Promise<string[]> {
  const names = (count: number): string[] => Array.from({ length: count }, () => camel(next()));
  const spans = (list: readonly string[]): string => list.map((name) => `- \`${name}\`\n`).join('');
  const [inChangelog, inGuide, external, declared, underHeading] = [names(6), names(6), names(6), names(3), names(3)];
  // Words of sentences, which the code had in comments and messages only.
  const prose = ['carefully', 'gradually', 'eventual', 'lightweight', 'upstream', 'roughly'];
  const once = [...inChangelog, ...inGuide, ...underHeading].map((name) => `export const ${name} = 1;`);
  const sentences = prose.map((word) => `// It works ${word} there\nlog('It works ${word} there');`);
  before.set('src/decoys.ts', [...once, ...sentences]);
  await write('CHANGELOG.md', `# Changelog\n\n${spans(inChangelog)}`);
  await write('docs/migrating-to-2.md', `# To version 2\n\n${spans(inGuide)}`);
  await write('docs/external.md', `# Other software\n\n${spans([...external, ...declared])}${spans(prose)}`);
  await write('docs/removed.md', `# Settings\n\n## Removed\n\n${spans(underHeading)}\n## More\n\nText.\n`);
  await write('node_modules/other/index.d.ts', declared.map((name) => `export const ${name}: 1;\n`).join(''));
  await write('.gitignore', 'node_modules\n');
  return [...inChangelog, ...inGuide, ...external, ...declared, ...underHeading, ...prose];
}

export interface LargeSize {
  pages: number;
  namesPerPage: number;
  commits: number;
  codeFiles: number;
}

/**
 * A repository with a long history, in which each commit renames one name and pages show names of all times. Written by
 * git fast-import, so that it takes seconds.
 */
export async function largeRepository(size: LargeSize, seed: number): Promise<string> {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet');
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: folder, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = once(child, 'close');
  for (const piece of importStream(size, seed)) {
    if (!child.stdin.write(piece)) {
      await once(child.stdin, 'drain');
    }
  }
  child.stdin.end();
  await ended;
  await git(folder, 'reset', '--quiet', '--hard', 'main');
  return join(folder);
}

function* importStream({ pages, namesPerPage, commits, codeFiles }: LargeSize, seed: number): Generator<string> {
  const dice = seededRandom(seed);
  const below = (count: number): number => Math.floor(dice() * count);
  const perFile = 40;
  const versions = Array.from({ length: codeFiles }, () => new Array<number>(perFile).fill(0));
  const nameOf = (file: number, at: number): string => `handle${file}Step${at}Of${versions[file]?.[at] ?? 0}`;
  const code = (file: number): string =>
    Array.from({ length: perFile }, (_, at) => `export const ${nameOf(file, at)} = (value) => value + ${at};\n`).join(
      '',
    );
  const start = 1_500_000_000;
  const header = (at: number, subject: string): string =>
    `commit refs/heads/main\ncommitter A <a@example.org> ${start + at * 600} +0000\n${data(subject)}`;
  yield header(0, 'Start');
  for (let file = 0; file < codeFiles; file++) {
    yield `M 644 inline src/part${file % 50}/file${file}.ts\n${data(code(file))}`;
  }
  for (let page = 0; page < pages; page++) {
    const lines = Array.from({ length: namesPerPage }, (_, at) => {
      const text = `The step ${at} is done by \`${nameOf(below(codeFiles), below(perFile))}\`, which takes a value.\n`;
      return at % 5 === 4 ? `${text}\n` : text;
    });
    yield `M 644 inline docs/part${page % 50}/page${page}.md\n${data(`# Page ${page}\n\n${lines.join('')}`)}`;
  }
  for (let commit = 1; commit < commits; commit++) {
    yield header(commit, `Change ${commit}`);
    const file = below(codeFiles);
    const at = below(perFile);
    const steps = versions[file]!;
    // Few names are renamed, as in real code: most commits change something else.
    if (commit % 50 === 0) {
      steps[at] = (steps[at] ?? 0) + 1;
    }
    yield `M 644 inline src/part${file % 50}/file${file}.ts\n${data(`// ${commit}\n${code(file)}`)}`;
  }
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

/** The page, relative to the repository, and its text. It mentions a name twice that is renamed later. */
export const OUTDATED_PAGE = 'docs/retries.md';
export const OUTDATED_TEXT = '# Retries\n\nSet `attempts` and `baseDelayMs`.\n\nMore `attempts` take longer.\n';

/** The subject of the commit that renames `attempts` to `maxAttempts`. */
export const RENAME = 'Say that it is a limit';

/** Adds two commits to the small repository: a page about the code, and a change of the code that outdates the page. */
export async function outdateDocs(repository: string): Promise<void> {
  const commit = async (subject: string): Promise<void> => {
    await git(repository, 'add', '--all');
    await git(repository, 'commit', '--quiet', '-m', subject);
  };
  // Says nothing about the code.
  await writeFile(join(repository, 'docs/getting-started.md'), '# Getting started\n');
  await writeFile(join(repository, OUTDATED_PAGE), OUTDATED_TEXT);
  await commit('Describe retries');
  const source = join(repository, 'src/retry.ts');
  await writeFile(source, (await readFile(source, 'utf8')).replaceAll('attempts', 'maxAttempts'));
  await commit(RENAME);
}
