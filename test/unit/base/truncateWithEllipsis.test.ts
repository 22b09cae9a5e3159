import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { truncateWithEllipsis } from '../../../src/base/text';

describe('truncateWithEllipsis', () => {
  it('returns text that fits unchanged', () => {
    assert.equal(truncateWithEllipsis('', 1), '');
    assert.equal(truncateWithEllipsis('twelve chars', 12), 'twelve chars');
  });

  it('truncates longer text to the limit and marks the cut', () => {
    assert.equal(truncateWithEllipsis('thirteen char', 12), 'thirteen ch…');
  });

  it('never splits a surrogate pair', () => {
    for (const text of ['😀😀😀😀', 'a😀😀😀']) {
      for (let max = 1; max <= 8; max++) {
        const bound = truncateWithEllipsis(text, max);
        assert.ok(bound.length <= max && !/\p{Cs}/u.test(bound), bound);
      }
    }
  });

  it('does not keep the long text in memory', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    const before = process.memoryUsage().heapUsed;
    const kept = Array.from({ length: 200 }, (_, index) =>
      truncateWithEllipsis(JSON.parse(`"${index} ${'x'.repeat(500_000)}"`) as string, 20),
    );
    collect();
    assert.ok(process.memoryUsage().heapUsed - before < 10_000_000, kept[0]);
  });
});
