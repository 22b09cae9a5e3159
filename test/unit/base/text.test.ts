import assert, { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import {
  codePointName,
  countInvisible,
  dropInvisible,
  isBlank,
  replaceInvisible,
  showInvisible,
  truncateWithEllipsis,
} from '../../../src/base/text';
import { createWordDiff, type WordChange } from '../../../src/base/wordDiff';

const char = (code: number): string => String.fromCodePoint(code);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const tags = (text: string): string => Array.from(text, (letter) => char(0xe0000 + letter.charCodeAt(0))).join('');

/** Written by hand, so that the implementation is not tested against the same character classes. */
const INVISIBLE = [
  ...[...range(0, 8), 0x0b, 0x0c, ...range(0x0e, 0x1f), ...range(0x7f, 0x9f), 0xad, 0x034f, 0x061c, 0x115f, 0x1160],
  ...[0x17b4, 0x17b5, ...range(0x180b, 0x180f), ...range(0x200b, 0x200f), ...range(0x202a, 0x202e)],
  ...[...range(0x2060, 0x206f), 0x2800, 0x3164, ...range(0xfe00, 0xfe0f), 0xfeff, 0xffa0, ...range(0xfff9, 0xfffb)],
  ...[0x13430, 0x1bca0, 0x1d159, 0x1d173, 0x16fe4, ...range(0xe0000, 0xe007f), ...range(0xe0100, 0xe01ef), 0xe0fff],
].map(char);

/** Sequences that break when one of their characters is removed. */
const KEPT = [
  ...['👩‍👧', '👩🏽‍🚀', '👨‍👩‍👧‍👦', '🧑🏻‍❤️‍💋‍🧑🏽', '🏳️‍🌈', '🏴‍☠️', '👁️‍🗨️', '🚶🏾‍➡️', '❤️', '☺︎', '↩︎', '©️', '1️⃣', '#️⃣', '🇩🇪'],
  ...['england', 'scotland', 'wales'].map(
    (_, at) => `🏴${tags(['gbeng', 'gbsct', 'gbwls'][at] ?? '')}${char(0xe007f)}`,
  ),
  // Persian “I want”, Hindi and Sinhala conjuncts, and a Malayalam chillu in the old encoding.
  ...['می\u200cخواهم', 'क्\u200dष', 'ශ්\u200dරී', 'ന്\u200dറെ'],
  ...['\u0600١٢', 'größe', 'naïve – “quoted” … ⟨x⟩', '日本語', 'a\tb\nc\r\nd', '\ud83d'],
];

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...INVISIBLE, ...KEPT, '\u200d', '\u200c', '\ufe0f', '\u2028', '\r', '🏴', '1', 'ش', 'क', 'a'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((pieces) => pieces.join(''));

describe('invisible text', () => {
  it('is dropped from labels, whatever its kind', () => {
    for (const character of INVISIBLE) {
      assert.equal(dropInvisible(`a${character}b`), 'ab', codePointName(character));
      assert.equal(dropInvisible(character), '', codePointName(character));
    }
  });

  it('is blank with any white space around it, but not with a character that a person can see', () => {
    for (const character of ['', ...INVISIBLE, '\u00a0', '\u3000', '\u2028', ' \t\r\n']) {
      assert.equal(isBlank(`${character} ${character}\n`), true, codePointName(character));
      assert.equal(isBlank(`${character}\n.${character}`), false, codePointName(character));
    }
    assert.ok(!KEPT.some(isBlank));
    fc.assert(fc.property(hostile, (text) => isBlank(text) === (dropInvisible(text).trim() === '')));
  });

  it('is shown as code points where a person decides', () => {
    for (const character of INVISIBLE) {
      assert.equal(showInvisible(`a${character}b`), `a⟨${codePointName(character)}⟩b`);
      assert.equal(countInvisible(`a${character}b`), 1);
    }
    assert.equal(showInvisible(`Hello${tags('rm')}`), 'Hello⟨U+E0072⟩⟨U+E006D⟩');
    assert.equal(dropInvisible('a\rb\u2028c\u2029d\r\ne\n\0'), 'a\rb\u2028c\u2029d\r\ne\n');
    assert.equal(showInvisible('a\rb\u2028c\u2029d\0'), 'a⟨U+000D⟩b⟨U+2028⟩c⟨U+2029⟩d⟨U+0000⟩');
  });

  it('does not include emoji or scripts that need joiners', () => {
    for (const text of KEPT) {
      for (const around of ['', 'a', ' ', '🚀', 'ش']) {
        const whole = around + text + around;
        assert.equal(dropInvisible(whole), whole);
        assert.equal(showInvisible(whole), whole);
        assert.equal(countInvisible(whole), 0);
      }
    }
  });

  it('can’t hide behind an emoji or a letter', () => {
    assert.equal(dropInvisible(`🚀${char(0xe0100)}${char(0xe0101)}`), '🚀');
    assert.equal(dropInvisible('🚀\ufe0f\ufe0f\ufe0e'), '🚀\ufe0f');
    assert.equal(dropInvisible('👩\u200d\u200d👧'), '👩👧');
    assert.equal(dropInvisible('👩\u200d'), '👩');
    assert.equal(dropInvisible('1\ufe0f2\ufe0f'), '12');
    assert.equal(dropInvisible(`🏴${tags('usca')}${char(0xe007f)}`), '🏴');
    assert.equal(dropInvisible(`🚀${tags('gbeng')}${char(0xe007f)}`), '🚀');
    assert.equal(dropInvisible('می\u200c\u200cخواهم'), 'میخواهم');
    assert.equal(dropInvisible('a\u200cb\u200dc ش\u200ca'), 'abc شa');
  });

  it('is removed completely and nothing else changes, for any text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const dropped = dropInvisible(text);
        const shown = showInvisible(text);
        assert.equal(dropInvisible(dropped), dropped);
        assert.equal(showInvisible(shown), shown);
        assert.equal(countInvisible(shown), 0);
        assert.doesNotMatch(shown, /[\u{e0100}-\u{e01ef}\u202a-\u202e\u2066-\u2069\u2800]/u);
        assert.ok(shown.length <= text.length * 8);
        // Visible text is neither changed nor moved.
        const marked = replaceInvisible(text, () => '');
        assert.equal(shown.replace(/⟨U\+[0-9A-F]{4,6}⟩/g, ''), marked.replace(/⟨U\+[0-9A-F]{4,6}⟩/g, ''));
      }),
      { numRuns: 3000 },
    );
  });

  it('includes all format characters except visible ones, and all default-ignorable characters', () => {
    const drawn = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = char(code);
      const hidden = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?![\t\n\r])\p{Cc}/u.test(character);
      if (hidden && !drawn.test(character)) {
        assert.equal(dropInvisible(character), '', codePointName(character));
      }
    }
  });

  it('includes joiners in chains longer than any emoji', () => {
    const chain = '👩\u200d'.repeat(100_000);
    assert.equal(countInvisible(chain), 10_000);
  });
});

describe('truncateWithEllipsis', () => {
  it('truncates to the limit, marks the cut, and never splits a surrogate pair', () => {
    assert.equal(truncateWithEllipsis('twelve chars', 12), 'twelve chars');
    assert.equal(truncateWithEllipsis('thirteen char', 12), 'thirteen ch…');
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
