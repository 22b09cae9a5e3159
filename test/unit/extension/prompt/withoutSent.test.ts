import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutSent } from '../../../../src/extension/features/prompt/composer/composerDrafts';

const letters = (text: string): string[] => text.split('').toSorted();

describe('what a prompt holds besides what was sent', () => {
  it('is nothing when nothing was typed, or something was taken away', () => {
    assert.equal(withoutSent('Explain it.', 'Explain it.'), '');
    assert.equal(withoutSent('Explain.', 'Explain it.'), '');
    assert.equal(withoutSent('', 'Explain it.'), '');
  });

  it('is what was put in, wherever', () => {
    const text = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, (before, after, typed) => {
        const rest = withoutSent(before + typed + after, before + after);
        assert.equal(rest.length, typed.length);
        // Next to the same character it can’t be told which of them is the new one.
        assert.deepEqual(letters(before + rest + after), letters(before + typed + after));
      }),
    );
  });

  it('is all between two places that were changed', () => {
    assert.equal(withoutSent('one TWO three FOUR five', 'one three five'), 'TWO three FOUR');
  });
});
