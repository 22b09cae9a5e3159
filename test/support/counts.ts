import { readFile } from 'node:fs/promises';
import type { Figure } from './scale';

/** The results of the tests of one file. */
export interface FileCounts {
  /** Its path; empty if mocha does not report it. */
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  /** The tests and hooks that failed, each with its message. */
  failures: string[];
}

/** The results of the tests of one suite. */
export interface Counts {
  files: Map<string, FileCounts>;
  /** False if the run died before its end. */
  ended: boolean;
}

/** Reads the output of the counting reporter. */
export async function readCounts(file: string): Promise<Counts> {
  const counts: Counts = { files: new Map(), ended: false };
  for (const line of await readLines<Partial<FileCounts> & { ended?: true }>(file)) {
    if (line.ended === true) {
      counts.ended = true;
    } else {
      const name = line.file ?? '';
      counts.files.set(name, { file: name, passed: 0, failed: 0, skipped: 0, failures: [], ...line });
    }
  }
  return counts;
}

/** Sums one number over all files. */
export function sumOf(counts: Counts, of: 'passed' | 'failed' | 'skipped'): number {
  return [...counts.files.values()].reduce((total, each) => total + each[of], 0);
}

/** The files in which something failed. */
export function failedFiles(counts: Counts): FileCounts[] {
  return [...counts.files.values()].filter(({ failed }) => failed > 0);
}

/** The lines of a JSON lines file; none if the file does not exist. */
export async function readLines<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as T);
}

/** `docs/reliability.md` as Markdown: one row for each promise that was tested. */
export function reliabilityPage(figures: readonly Figure[], day: string, seed: number): string {
  const rows = figures
    .toSorted((a, b) => a.promise.localeCompare(b.promise, 'en', { numeric: true }))
    .map(({ promise, what, figure }) => `| ${promise} | ${what} | ${figure} |`);
  return `# Reliability

What the extension and the local service promise, how each promise was tested, and the result. L means *lose nothing*,
C *be a good client*, S *let no one in*.

\`npm test\` runs part of this every time. \`npm run test:long\` runs all of it, which takes hours, and writes this page.

${day}, seed ${seed}.

| Promise | Tested | Result |
| --- | --- | --- |
${rows.join('\n')}
`;
}
