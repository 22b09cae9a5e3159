import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MIN_BUDGET, elide, shareBudget } from '../../../src/prompt/budgets';

const budgets = fc.integer({ min: MIN_BUDGET, max: 2_000 });

/** Texts of every shape: short lines, huge lines, surrogate pairs. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.integer({ min: 1, max: 3_000 }).map((length) => 'x'.repeat(length)),
      fc.integer({ min: 1, max: 1_000 }).map((length) => '😀'.repeat(length)),
      fc.constantFrom('', '\r', '… 3 lines left out'),
    ),
    { maxLength: 60 },
  )
  .chain((lines) => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`));

/** Splits an elided text into its parts. Needs the whole text, because that may itself contain such a marker line. */
function parts(whole: string, elided: string): { head: string; tail: string; left: number; unit: string } {
  for (const found of elided.matchAll(/^… ([\d,]+) (line|character)s? left out$/gm)) {
    const head = elided.slice(0, found.index);
    const tail = elided.slice(found.index + found[0].length + 1);
    const left = Number(found[1]?.replaceAll(',', ''));
    const unit = found[2] ?? '';
    const isHead = whole.startsWith(unit === 'line' ? head : head.slice(0, -1));
    if (isHead && adds(whole, { head, tail, left, unit })) {
      return { head, tail, left, unit };
    }
  }
  assert.fail(`nothing tells what was left out, or it does not add up: ${elided}`);
}

function adds(
  whole: string,
  { head, tail, left, unit }: { head: string; tail: string; left: number; unit: string },
): boolean {
  if (unit === 'character') {
    return whole.endsWith(tail) && head.length - 1 + tail.length + left === whole.length;
  }
  const body = whole.endsWith('\n') ? whole.slice(0, -1) : whole;
  const lines = body.split('\n').length;
  const headLines = head === '' ? 0 : head.split('\n').length - 1;
  const tailLines = tail === '' && !body.endsWith('\n') ? 0 : tail.split('\n').length;
  return body.endsWith(tail) && headLines + tailLines + left === lines;
}

describe('elide', () => {
  it('returns text that fits unchanged, and otherwise stays within the budget with correct counts', () => {
    fc.assert(
      fc.property(texts, budgets, (text, budget) => {
        const elided = elide(text, budget);
        if (text.length <= budget) {
          assert.equal(elided, text);
          return;
        }
        assert.ok(elided.length <= budget, `${elided.length} of ${budget}`);
        parts(text, elided);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never splits a surrogate pair', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 900 }), budgets, fc.constantFrom('', 'x'), (length, budget, shift) => {
        assert.doesNotMatch(elide(shift + '😀'.repeat(length), budget), /\p{Surrogate}/u);
      }),
    );
  });

  it('keeps whole lines at both ends', () => {
    const text = Array.from({ length: 500 }, (_, index) => `line ${index + 1}`).join('\n');
    const elided = elide(`${text}\n`, 200);
    assert.match(elided, /^line 1\nline 2\n(line \d+\n)+… \d+ lines left out\n(line \d+\n)+line 500$/);
  });

  it('cuts a single huge line by characters', () => {
    assert.match(elide('x'.repeat(12_545), 250), /^x+\n… 12,345 characters left out\nx+$/);
  });

  it('uses most of the budget when lines differ a lot in length', () => {
    const elided = elide(`first\n${'y'.repeat(100_000)}\nlast`, 10_000);
    assert.ok(elided.length > 5_000 && elided.startsWith('first\nyyy') && elided.endsWith('yyy\nlast'));
  });

  it('handles millions of empty lines', () => {
    assert.match(elide('\n'.repeat(3_000_000), 1_000), /^\n+… [\d,]+ lines left out\n+$/);
  });
});

describe('shareBudget', () => {
  it('gives no text more than it needs, uses up the budget when needed, and gives small texts in full', () => {
    const lengths = fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lengths, fc.nat({ max: 50_000 }), (wanted, budget) => {
        const shares = shareBudget(wanted, budget);
        const sum = shares.reduce((a, b) => a + b, 0);
        const all = wanted.reduce((a, b) => a + b, 0);
        assert.ok(shares.every((share, index) => share >= 0 && share <= wanted[index]!));
        assert.ok(sum <= budget && sum >= Math.min(all, budget) - wanted.length);
        const smallest = Math.min(...wanted);
        assert.ok(smallest > budget / wanted.length || shares[wanted.indexOf(smallest)] === smallest);
      }),
    );
  });
});
