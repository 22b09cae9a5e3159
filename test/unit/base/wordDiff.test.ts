import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { createWordDiff, type WordChange } from '../../../src/base/wordDiff';

const diffWords = (before: string, after: string): WordChange[] => createWordDiff()(before, after);

/** Changes as `[-old-]` and `{+new+}`, as `git diff --word-diff` prints them. */
function marked(before: string, after: string): string {
  const show = (text: string, [open, close]: [string, string]): string => (text === '' ? '' : open + text + close);
  return diffWords(before, after)
    .map((piece) =>
      piece.isChanged ? show(piece.before, ['[-', '-]']) + show(piece.after, ['{+', '+}']) : piece.after,
    )
    .join('');
}

describe('the word diff', () => {
  it('marks exactly the 8 changed words of a paragraph of 75', () => {
    const words = Array.from({ length: 75 }, (_, index) => `word${index}`);
    const changed = [3, 7, 20, 33, 47, 52, 60, 74];
    const after = words.map((word, index) => (changed.includes(index) ? `new${index}` : word));
    const pieces = diffWords(words.join(' '), after.join(' ')).filter(({ isChanged }) => isChanged);
    deepStrictEqual(
      pieces.map((piece) => [piece.before, piece.after]),
      changed.map((index) => [`word${index}`, `new${index}`]),
    );
  });

  it('marks exactly the 8 changed words of 75 words of prose, in which words are repeated', () => {
    const text =
      'Each project may send fifty requests an hour. A request above the limit is answered with status 429, and the ' +
      'header names the time after which it may be sent again. Clients should wait for that time, and then send the ' +
      'request once more. A client that does not wait is refused for a day, and its owner learns it by mail. The ' +
      'limit of a project is shown on the page of its owner.';
    const changes = [
      ['fifty', 'ninety'],
      ['hour', 'minute'],
      ['answered', 'refused'],
      ['header', 'body'],
      ['Clients', 'Programs'],
      ['once', 'twice'],
      ['mail', 'phone'],
      ['shown', 'listed'],
    ] as const;
    const after = changes.reduce((changed, [old, young]) => changed.replace(new RegExp(`\\b${old}\\b`), young), text);
    strictEqual(text.split(' ').length, 75);
    deepStrictEqual(
      diffWords(text, after)
        .filter(({ isChanged }) => isChanged)
        .map((piece) => [piece.before, piece.after]),
      changes,
    );
  });

  it('marks words that were added, deleted or replaced, in any script', () => {
    for (const [before, after, shown] of [
      ['The cat sat.', 'The black cat sat.', 'The {+black +}cat sat.'],
      ['The black cat sat.', 'The cat sat.', 'The [-black -]cat sat.'],
      ['one old word here', 'one new word here', 'one [-old-]{+new+} word here'],
      ['Это старое слово здесь', 'Это новое слово здесь', 'Это [-старое-]{+новое+} слово здесь'],
      ['Grüße an alle', 'Grüsse an alle', '[-Grüße-]{+Grüsse+} an alle'],
      ['It’s 😀 today', 'It’s 😁 today', 'It’s [-😀-]{+😁+} today'],
    ] as const) {
      strictEqual(marked(before, after), shown);
    }
  });

  it('joins neighboring changes, and marks changed spaces', () => {
    strictEqual(marked('one  two', 'one two'), 'one[-  -]{+ +}two');
    strictEqual(marked('a red cat sat down', 'a big dog sat down'), 'a [-red cat-]{+big dog+} sat down');
  });

  it('finds the new version of a paragraph among new paragraphs', () => {
    const words = (name: string): string => Array.from({ length: 75 }, (_, index) => `${name}${index}`).join(' ');
    const before = `${words('a')}\n${words('b')}`;
    const after = `${words('x')}\n${words('a').replace('a40', 'other')}\n${words('y')}\n${words('b').replace('b3 ', 'new ')}\n${words('z')}`;
    const changes = diffWords(before, after).filter(({ isChanged }) => isChanged);
    deepStrictEqual(
      changes.map((change) => [change.before, change.after]),
      [
        ['', `${words('x')}\n`],
        ['a40', 'other'],
        ['', `${words('y')}\n`],
        ['b3', 'new'],
        ['', `\n${words('z')}`],
      ],
    );
    strictEqual(
      marked('| Free | 50 |', `| Free | 100 |\n\n${words('x')}`),
      `| Free | [-50-]{+100+} |{+\n\n${words('x')}+}`,
    );
  });

  it('marks the whole text when there is little in common or too much to compare', () => {
    strictEqual(
      marked('Alpha beta gamma delta.', 'One two three four.'),
      '[-Alpha beta gamma delta.-]{+One two three four.+}',
    );
    const words = (name: string): string => Array.from({ length: 300 }, (_, index) => `${name}${index} same`).join(' ');
    const once = createWordDiff();
    const lengths = Array.from({ length: 9 }, () => once(words('a'), words('b')).length);
    ok((lengths[0] ?? 0) > 500 && lengths.at(-1) === 1, String(lengths));
  });

  it('always contains both texts in full', () => {
    const text = fc
      .array(fc.constantFrom('the', 'cat', 'a', ' ', '  ', '\n', '.', ',', '漢', '😀', '\ud83d', 'é', '-'), {
        maxLength: 80,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'grapheme' })), text, (before, after) => {
        const pieces = diffWords(before, after);
        strictEqual(pieces.map((piece) => piece.before).join(''), before);
        strictEqual(pieces.map((piece) => piece.after).join(''), after);
        for (const piece of pieces) {
          ok(piece.isChanged || piece.before === piece.after, JSON.stringify(piece));
        }
      }),
    );
  });
});
