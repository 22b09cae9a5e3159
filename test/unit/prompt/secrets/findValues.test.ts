import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { findValues } from '../../../../src/prompt/secrets/findSecrets';

/** Uses few letters, so that values contain each other and overlap. */
const value = fc.string({ unit: fc.constantFrom('a', 'b', '🙂'), minLength: 1, maxLength: 6 });

const yieldTurn = (): Promise<void> => Promise.resolve();

describe('findValues', () => {
  it('covers exactly what separate searches for each value cover', () =>
    fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 6 }), fc.array(value), async (values, parts) => {
        const text = parts.join('');
        const expected = Array.from({ length: text.length }, () => false);
        const covered = Array.from({ length: text.length }, () => false);
        for (const each of values) {
          for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + 1)) {
            expected.fill(true, at, at + each.length);
          }
        }
        for (const place of await findValues(text, values, yieldTurn)) {
          strictEqual(text.startsWith(place.value, place.start), true);
          covered.fill(true, place.start, place.end);
        }
        deepStrictEqual(covered, expected);
      }),
      { numRuns: 500 },
    ));

  it('returns one place where a value overlaps itself', async () => {
    deepStrictEqual(await findValues('xabababy', ['abab'], yieldTurn), [{ value: 'abab', start: 1, end: 7 }]);
  });
});
