import assert from 'node:assert/strict';
import { parseNumstat } from '../../../../src/service/review/numstat';

describe('parseNumstat', () => {
  it('reads edits, renames, binaries and odd names', () => {
    assert.deepEqual(
      parseNumstat(['1\t2\ta.md', '3\t0\t', 'old.md', 'new.md', '-\t-\tx.png', '1\t0\ttwo\nlines', ''].join('\0')),
      [
        { path: 'a.md', added: 1, deleted: 2 },
        { from: 'old.md', path: 'new.md', added: 3, deleted: 0 },
        { path: 'x.png', added: null, deleted: null },
        { path: 'two\nlines', added: 1, deleted: 0 },
      ],
    );
    assert.deepEqual(parseNumstat(''), []);
  });
});
