import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { maxLength, minLength } from '../../../src/base/lengthChecks';
import { parseErrorBody, readAnswer } from '../../../src/client/answer';
import { parseJob } from '../../../src/protocol/job';

const text = z.string().check(minLength(2), maxLength(3));
const list = z.array(z.unknown()).check(minLength(2), maxLength(3));

/** JSON can express it, and it can't be compared with a number. */
const incomparable = { length: { toString: 1, valueOf: 1 } };

describe('length checks', () => {
  it('accept text and arrays within the limits only', () => {
    for (const [schema, values] of [
      [text, ['a', 'ab', 'abc', 'abcd']],
      [list, [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]],
    ] as const) {
      assert.deepEqual(
        values.map((value) => z.safeParse(schema, value).success),
        [false, true, true, false],
      );
    }
  });

  it('reject every other value without an error', () => {
    for (const schema of [text, list]) {
      for (const value of [incomparable, { length: 2 }, { length: 9 }, null, 2]) {
        assert.equal(z.safeParse(schema, value).success, false);
      }
    }
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ length: fc.anything() })), (value) => {
        z.safeParse(text, value);
        z.safeParse(list, value);
      }),
    );
  });

  it('let any answer be read or rejected as not understood', () => {
    assert.equal(parseJob({ id: 'j1', status: incomparable }), undefined);
    const body = JSON.stringify({ id: 'j1', status: incomparable });
    assert.throws(() => readAnswer({ status: 201, headers: {}, body }, 0), {
      kind: 'notUnderstood',
      effect: 'unknown',
    });
    const coded = { error: { code: 'c', params: { name: incomparable } } };
    assert.equal(parseErrorBody(JSON.stringify({ error: 'No', coded })).detail, 'No');
  });
});
