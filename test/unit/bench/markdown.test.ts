import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Measurements, figure } from '../../bench/figures';
import { FIRST_MARK, LAST_MARK, toMarkdown, withFigures } from '../../bench/markdown';
import { type Dated, merged } from '../../bench/report';
import { checkoutRoot } from '../../support/vscode/paths';

const dated = (name: string, title: string, figures: Measurements[], about?: string): Dated => {
  const circumstances = { day: '2026-11-22', machine: 'Linux, 2 cores', rounds: 3 };
  return { name, title, figures: figures.map(figure), about, ...circumstances };
};
const rowsOf = (...figures: Measurements[]): string[] => {
  const lines = toMarkdown({ benchmarks: [dated('one', 'One', figures)] }).split('\n');
  return lines.filter((line) => line.startsWith('|')).slice(2);
};

describe('the table of benchmarks', () => {
  it('says what was measured, against what, the ratio with its spread, and what was wanted', () => {
    const peer = { name: 'an empty extension', measured: [5, 6, 7] };
    const told = { name: 'load', unit: 'ms', ours: [6, 9, 12], peer, by: 'best' } as const;
    deepStrictEqual(
      rowsOf({ ...told, wanted: { of: 'ratio', most: 1.5 } }, { ...told, wanted: { of: 'worst', most: 11 } }),
      [
        '| load | 6 / 9 ms | an empty extension | 5 / 6 ms | 1.2 best (1.2–1.8) | ratio ≤ 1.5 |',
        '|  | 6 / 9 ms | an empty extension | 5 / 6 ms | 1.2 best (1.2–1.8) | worst ≤ 11 ms ✗ |',
      ],
    );
  });

  it('leaves empty what there is not, and writes numbers no more exactly than they are', () => {
    deepStrictEqual(
      rowsOf({ name: 'package', unit: 'KiB', ours: 1234.567 }, { name: 'late', unit: '%', ours: 6.5432 }),
      ['| package | 1,235 KiB |  |  |  |  |', '| late | 6.54 % |  |  |  |  |'],
    );
    deepStrictEqual(rowsOf({ name: 'sockets', unit: '', ours: 0, peer: { name: 'none', measured: 4 } }), [
      '| sockets | 0 | none | 4 | 0 |  |',
    ]);
  });

  it('puts neighbours with one title into one table, with what is to know below it', () => {
    const one = { name: 'a', unit: 'ms', ours: 1 } as const;
    const text = toMarkdown({
      benchmarks: [
        dated('x', 'Service', [one], 'About x.'),
        dated('y', 'Service', [one], 'About y.'),
        dated('z', 'List', [one]),
      ],
    });
    strictEqual(text.split('| Measured |').length, 3);
    ok(/^“Here” and “there” are .*\n\n\*\*Service\*\* \(Linux, 2 cores, 2026-11-22, 3 rounds\)\n/.test(text), text);
    ok(text.includes('\nAbout x. About y.\n\n**List** ('), text);
  });

  it('takes the place of the old one in the README, and leaves the rest as it is', () => {
    const readme = `# Name\n\n${FIRST_MARK}\n\nold\n\n${LAST_MARK}\n\n## License\n`;
    const written = withFigures(readme, 'new\n');
    strictEqual(written, `# Name\n\n${FIRST_MARK}\n\nnew\n\n${LAST_MARK}\n\n## License\n`);
    strictEqual(withFigures(written, 'new\n'), written);
  });

  it('is written nowhere when the README has not exactly one place for it', () => {
    for (const readme of ['# Name\n', FIRST_MARK, `${LAST_MARK}${FIRST_MARK}`, `${FIRST_MARK}${LAST_MARK}`.repeat(2)]) {
      throws(() => withFigures(readme, 'new'), /exactly one/, readme);
    }
  });

  it('has a place in our README, in “Start and size”', async () => {
    const readme = await readFile(join(checkoutRoot, 'README.md'), 'utf8');
    const [, section = ''] = readme.split('\n## Start and size\n');
    ok(withFigures(section.split('\n## ')[0] ?? '', 'new').includes('new'));
  });
});

describe('the file of benchmarks', () => {
  it('keeps what was not measured again, in the order of the benchmarks', () => {
    const one = (name: string, ours: number): Dated => dated(name, 'One', [{ name, unit: 'ms', ours }]);
    const before = { benchmarks: [one('gone', 1), one('c', 1), one('b', 1)] };
    deepStrictEqual(merged(before, [one('a', 2), one('b', 2)], ['a', 'b', 'c', 'd']), {
      benchmarks: [one('a', 2), one('b', 2), one('c', 1)],
    });
  });
});
