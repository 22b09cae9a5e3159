import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withoutSent } from '../../../../src/extension/features/prompt/composer/composerDrafts';

const letters = (text: string): string[] => text.split('').toSorted();

describe('withoutSent', () => {
  it('returns nothing if nothing was typed or text was removed', () => {
    assert.equal(withoutSent('Explain it.', 'Explain it.'), '');
    assert.equal(withoutSent('Explain.', 'Explain it.'), '');
    assert.equal(withoutSent('', 'Explain it.'), '');
  });

  it('returns the inserted text, wherever it is', () => {
    const text = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, (before, after, typed) => {
        const rest = withoutSent(before + typed + after, before + after);
        assert.equal(rest.length, typed.length);
        // Next to an identical character it is ambiguous which of the two was inserted.
        assert.deepEqual(letters(before + rest + after), letters(before + typed + after));
      }),
    );
  });

  it('returns everything between the first and the last change', () => {
    assert.equal(withoutSent('one TWO three FOUR five', 'one three five'), 'TWO three FOUR');
  });

  it('returns what was typed before and after the sent text', () => {
    assert.equal(withoutSent('First, explain it. Then more.', 'explain it.'), 'First,  Then more.');
  });

  it('returns the whole text if the sent one was replaced, even if both begin or end alike', () => {
    assert.equal(withoutSent('hello there', 'hello world'), 'hello there');
    assert.equal(withoutSent('Fix the guide', 'Shorten the guide'), 'Fix the guide');
  });
});
