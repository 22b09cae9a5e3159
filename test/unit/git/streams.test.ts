import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { SummaryReader } from '../../../src/git/diff';
import { streamEntries } from '../../../src/git/streamEntries';

describe('SummaryReader', () => {
  const printed = [
    ':100644 100644 abc def M\0a "b".md\0',
    ':100644 100644 abc def R090\0old.md\0new.md\0',
    ':100644 100644 abc def A\0logo.png\0',
    '3\t1\ta "b".md\0',
    '0\t2\t\0old.md\0new.md\0',
    '-\t-\tlogo.png\0',
  ].join('');
  const files = [
    { path: 'a "b".md', status: 'M', added: 3, deleted: 1 },
    { path: 'new.md', from: 'old.md', status: 'R', added: 0, deleted: 2 },
    { path: 'logo.png', status: 'A', added: null, deleted: null },
  ];

  for (const size of [1, 7, 1000]) {
    it(`parses git output that arrives in chunks of ${size} characters`, () => {
      const reader = new SummaryReader();
      for (let at = 0; at < printed.length; at += size) {
        reader.push(printed.slice(at, at + size));
      }
      deepStrictEqual(reader.files, files);
    });
  }

  it('keeps the start of a name that is longer than any path', () => {
    const reader = new SummaryReader();
    const [raw, numbers] = [':000000 100644 abc def A\0', '3\t0\t'];
    reader.push(raw);
    Array.from({ length: 1000 }).forEach(() => reader.push('n'.repeat(1000)));
    reader.push(`\0${raw}b.md\0${numbers}`);
    Array.from({ length: 1000 }).forEach(() => reader.push('n'.repeat(1000)));
    reader.push(`\0${numbers}b.md\0`);
    const short = reader.files.map((file) => ({ ...file, path: file.path.replace(/n+/, 'n') }));
    deepStrictEqual(short, [
      { path: 'n', status: 'A', added: 3, deleted: 0 },
      { path: 'b.md', status: 'A', added: 3, deleted: 0 },
    ]);
    strictEqual(reader.files[0]?.path.length, 16_384 - numbers.length);
  });

  it('counts the files beyond its limit and their changed lines', () => {
    const reader = new SummaryReader({ files: 1, characters: 100 });
    reader.push(printed);
    deepStrictEqual([reader.files, reader.more], [files.slice(0, 1), { files: 2, added: 0, deleted: 2 }]);
  });
});

/** A git that prints in chunks of this size. */
function gitThatPrints(printed: Buffer, size: number) {
  return {
    async *stream(): AsyncGenerator<Uint8Array, void> {
      for (let at = 0; at < printed.length; at += size) {
        yield printed.subarray(at, at + size);
      }
    },
  };
}

async function all(lists: AsyncIterable<string[]>): Promise<string[]> {
  const entries: string[] = [];
  for await (const list of lists) {
    entries.push(...list);
  }
  return entries;
}

describe('streamEntries', () => {
  const printed = Buffer.from('a b.md\0\nü.md\0\0last.md\0');
  for (const size of [1, 7, 1000]) {
    it(`returns every entry of output that arrives in chunks of ${size} bytes`, async () => {
      const entries = streamEntries(gitThatPrints(printed, size), { folder: '/' }, []);
      deepStrictEqual(await all(entries), ['a b.md', '\nü.md', '', 'last.md']);
    });
  }

  it('keeps the bytes of names that are not UTF-8', async () => {
    const bytes = Buffer.from('caf\xe9\0', 'latin1');
    const entries = streamEntries(gitThatPrints(bytes, 100), { folder: '/' }, [], { encoding: 'latin1' });
    deepStrictEqual(await all(entries), ['caf\xe9']);
  });

  it('refuses an entry that is longer than any path', async () => {
    const endless = gitThatPrints(Buffer.alloc(1_000_000, 'n'), 65_536);
    await rejects(all(streamEntries(endless, { folder: '/' }, [])), /too long/);
  });
});
