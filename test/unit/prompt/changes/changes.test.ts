import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ChangedFile, changedLines } from '../../../../src/prompt/changes/changedFile';
import { changesText } from '../../../../src/prompt/changes/changesText';
import { LineReader, MAX_LINE } from '../../../../src/prompt/changes/lineReader';
import { patchHeader } from '../../../../src/prompt/changes/patchHeader';
import { PatchReader } from '../../../../src/prompt/changes/patchReader';
import { fairShare, planPatches } from '../../../../src/prompt/changes/planPatches';
import { SummaryReader } from '../../../../src/git/summaryReader';

/** Gives the bytes in pieces of these sizes, over and over. */
function* pieces(text: string, sizes: readonly number[]): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const path = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((name) => !name.includes('\0'));
const contentLine = fc.tuple(fc.constantFrom(' ', '+', '-'), fc.stringMatching(/^[\w +@-]{0,60}$/));

interface Generated {
  file: ChangedFile;
  patch: string;
}

const generated: fc.Arbitrary<Generated[]> = fc
  .uniqueArray(
    fc.record({
      path,
      from: fc.option(path, { nil: undefined }),
      isBinary: fc.boolean(),
      hunks: fc.array(fc.array(contentLine, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 4 }),
    }),
    { selector: ({ path: name }) => name, maxLength: 12 },
  )
  .map((files) =>
    files.map(({ path: name, from, isBinary, hunks }) => {
      const names = from === undefined ? { path: name } : { path: name, from };
      const status = from === undefined ? 'M' : 'R';
      if (isBinary) {
        const file: ChangedFile = { ...names, status, added: null, deleted: null, hidden: 'binary' };
        return { file, patch: `${patchHeader(names)}\nBinary files differ\n` };
      }
      const lines = hunks.flat();
      const of = (mark: string): number => lines.filter(([kind]) => kind === mark).length;
      const body = hunks.map((hunk) => `@@ -1 +1 @@\n${hunk.map((parts) => parts.join('')).join('\n')}\n`).join('');
      return {
        file: { ...names, status, added: of('+'), deleted: of('-') },
        patch: `${patchHeader(names)}\nindex 1..2\n--- a/x\n+++ b/x\n${body}`,
      };
    }),
  );

describe('changes', () => {
  it('are summed up from what git prints, however it comes in pieces', () => {
    fc.assert(
      fc.property(generated, sizes, (files, chunks) => {
        const raw = files.map(({ file }) => {
          const names = [...(file.from === undefined ? [] : [file.from]), file.path];
          return `:100644 100644 abc def ${file.status}${file.from === undefined ? '' : '090'}\0${names.join('\0')}\0`;
        });
        const numstat = files.map(({ file }) => {
          const counts = `${file.added ?? '-'}\t${file.deleted ?? '-'}\t`;
          return file.from === undefined ? `${counts}${file.path}\0` : `${counts}\0${file.from}\0${file.path}\0`;
        });
        const reader = new SummaryReader();
        const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
        for (const bytes of pieces([...raw, ...numstat].join(''), chunks)) {
          reader.push(decoder.decode(bytes, { stream: true }));
        }
        assert.deepEqual(
          reader.files,
          files.map(({ file: { path, from, status, added, deleted } }) => {
            return { path, ...(from === undefined ? {} : { from }), status, added, deleted };
          }),
        );
      }),
    );
  });

  it('come out whole: what is shown and what is left out is all that was changed', () => {
    fc.assert(
      fc.property(generated, sizes, fc.integer({ min: 0, max: 4000 }), (files, chunks, budget) => {
        const all = files.map(({ file }) => file);
        const reader = new PatchReader(planPatches(all, budget), budget);
        for (const bytes of pieces(files.map(({ patch }) => patch).join(''), chunks)) {
          if (!reader.push(bytes)) {
            break;
          }
        }
        reader.end();
        const patches = reader.read;
        const used = patches.flatMap(({ lines }) => lines).reduce((sum, { length }) => sum + length + 1, 0);
        assert.ok(used <= budget, `${used} of ${budget}`);
        const text = changesText({ files: all, more: { files: 0, added: 0, deleted: 0 }, patches });
        const left = [...text.matchAll(/^… (\d+) changed lines? left out$/gm)].reduce(
          (sum, [, n]) => sum + Number(n),
          0,
        );
        const shown = patches.reduce((sum, patch) => sum + patch.shown, 0);
        const whole = new Set(patches.map(({ file }) => file));
        const unread = all.filter((file) => !whole.has(file)).reduce((sum, file) => sum + changedLines(file), 0);
        assert.equal(
          shown + left + unread,
          all.reduce((sum, file) => sum + changedLines(file), 0),
        );
        const added = all.reduce((sum, file) => sum + (file.added ?? 0), 0);
        const deleted = all.reduce((sum, file) => sum + (file.deleted ?? 0), 0);
        assert.match(text, new RegExp(`^${all.length} files? changed, \\+${added} -${deleted}\n|^0 files changed`));
        for (const file of all.filter((each) => !whole.has(each))) {
          assert.equal(file.hidden === undefined || text.includes(`${file.hidden}, not shown`), true);
        }
      }),
    );
  });

  it('are whole when there is room', () => {
    fc.assert(
      fc.property(generated, sizes, (files, chunks) => {
        const all = files.map(({ file }) => file);
        const reader = new PatchReader(planPatches(all, 1_000_000), 1_000_000);
        for (const bytes of pieces(files.map(({ patch }) => patch).join(''), chunks)) {
          reader.push(bytes);
        }
        reader.end();
        assert.deepEqual(
          reader.read.map(({ lines }) => `${lines.join('\n')}\n`),
          files.filter(({ file }) => file.hidden === undefined).map(({ patch }) => patch),
        );
      }),
    );
  });

  it('name files until the list is full, count the others, and add up', () => {
    const files = Array.from({ length: 2000 }, (_, index): ChangedFile => {
      return { path: `docs/chapter-${index}/page.md`, status: 'M', added: 10, deleted: 1 };
    });
    const text = changesText({ files, more: { files: 34, added: 5, deleted: 6 }, patches: [] });
    const rows = text.match(/^M docs\/chapter-\d+\/page\.md, \+10 -1, not shown$/gm)?.length ?? 0;
    assert.match(text, /^2,034 files changed, \+20,005 -2,006\n/);
    const rest = 2034 - rows;
    const more = `… and ${rest.toLocaleString('en-US')} more files, +${((2000 - rows) * 10 + 5).toLocaleString('en-US')}`;
    assert.ok(rows > 100 && text.includes(more), text.slice(-100));
  });

  it('tell nothing more of what follows the last file that is wanted', () => {
    const file: ChangedFile = { path: 'a', status: 'M', added: 3, deleted: 0 };
    const reader = new PatchReader([file], 60);
    assert.equal(reader.push(Buffer.from(`${patchHeader(file)}\n@@ -1 +1 @@\n+one\n+two\n`)), true);
    assert.equal(reader.push(Buffer.from(`+${'x'.repeat(100)}\n`)), false);
    assert.equal(reader.read[0]?.shown, 2);
  });

  it('share a budget: nobody gets less than an equal part but who needs less', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), fc.nat(20_000), (wanted, budget) => {
        const share = fairShare(wanted, budget);
        const used = wanted.reduce((sum, size) => sum + Math.min(size, share), 0);
        assert.ok(used <= budget + 1e-6);
        assert.ok(share >= budget / wanted.length - 1e-6);
      }),
    );
  });
});

describe('a line of a change', () => {
  const read = (bytes: Uint8Array): string[] => {
    const lines: string[] = [];
    const reader = new LineReader((line) => lines.push(line) > 0);
    reader.push(bytes);
    reader.end();
    return lines;
  };

  it('is cut where it is longer than a person reads, and says by how much', () => {
    const lines: string[] = [];
    const reader = new LineReader((line) => lines.push(line) > 0);
    reader.push(Buffer.from(`+${'é'.repeat(500_000)}`));
    reader.push(Buffer.from(`${'é'.repeat(10)}\nnext\n`));
    assert.equal(lines.length, 2);
    const [long = ''] = lines;
    assert.match(long, /^\+é+… 998,021 more bytes of this line left out$/);
    assert.ok(long.length < MAX_LINE);
    assert.equal(lines[1], 'next');
  });

  it('hides nothing: controls are shown as pictures, what can’t be seen by its number', () => {
    const odd = '\u001b[31mred\u0000\u007f\u202e \u200b \u{E0041} \u3164\ufe01 👩‍👧\tx\r\n';
    assert.deepEqual(read(Buffer.from(odd)), ['␛[31mred␀␡[U+202E] [U+200B] [U+E0041] [U+3164][U+FE01] 👩‍👧\tx']);
  });

  it('is readable where it is no UTF-8', () => {
    assert.deepEqual(read(Buffer.from([0x2b, 0xe9, 0x0a])), ['+\uFFFD']);
  });
});
