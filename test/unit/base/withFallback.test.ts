import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { withFallback } from '../../../src/base/withFallback';

const text = z.optional(z.string());
const ours = z.object({ a: withFallback(text, undefined), b: withFallback(z.nullable(z.number()), null) });
const theirs = z.object({ a: z.catch(text, undefined), b: z.catch(z.nullable(z.number()), null) });

describe('withFallback', () => {
  it('parses any value like the library’s own `catch`', () =>
    fc.assert(
      fc.property(fc.record({ a: fc.anything(), b: fc.anything() }, { requiredKeys: [] }), (value) => {
        deepStrictEqual(z.safeParse(ours, value), z.safeParse(theirs, value));
      }),
    ));

  it('uses the fallback for invalid values and keeps valid ones', () => {
    deepStrictEqual(z.parse(ours, { a: 1, b: 'no number' }), { a: undefined, b: null });
    deepStrictEqual(z.parse(ours, { a: 'text', b: 2 }), { a: 'text', b: 2 });
  });
});
