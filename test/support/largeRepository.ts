import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { seededRandom } from './seededRandom';
import { git, temporaryFolder } from './temporaryRepository';

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
