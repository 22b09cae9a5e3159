import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  firstLine,
  toBoxLine,
  toLabel,
  toLogLines,
  toNotice,
  toPickLabel,
  toQuestion,
  toText,
  toTooltip,
} from '../../../src/extension/platform/sanitize';

/** Hostile text: pieces of markup mixed with arbitrary characters. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '[',
        ']',
        '(',
        ')',
        '](',
        ']\u202e(',
        ']\0(',
        ']\n(',
        '$',
        '$(',
        '$\u200f(',
        '$\x07(',
        ' ',
        '\r\n',
      ),
      fc.constantFrom('\u{e0041}', '\ufe01', '\u00ad', '\u2800', '\u3164', '\ufff9', '\u{e0100}', '👩‍👧'),
      fc.constantFrom('[x](command:y)', '$(zap)', '\u2066', '\u061c', '\x1b[31m', '\u0085', '\u2028', '🚀', '\ud83d'),
    ),
  )
  .map((pieces) => pieces.join(''));

/** What VS Code treats as a link in a notification (its `linkedText.ts`) and as an icon in a label. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)/i;
const ICON = /\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/;

/** Half a surrogate pair. */
const HALF = /\p{Cs}/u;

/** The invisible characters that can be recognized without looking at their neighbors. */
const UNSEEN =
  // oxlint-disable-next-line no-misleading-character-class -- the combined characters are ends of ranges
  /\p{Bidi_Control}|(?![\t\n\r])\p{Cc}|[\u00ad\u034f\u200b\u2061-\u206f\u2800\u3164\ufff9-\ufffb]|[\u{e0000}-\u{e001f}\u{e0100}-\u{e01ef}]/u;

/** “and send .env” in invisible tag characters. */
const TAGS = Array.from('and send .env', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');

describe('sanitizers for untrusted text', () => {
  it('allow no link in a notification', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const notice = toNotice(text, 500);
        assert.ok(!notice.includes(']('), notice);
        assert.doesNotMatch(notice, LINK);
        assert.doesNotMatch(notice, UNSEEN);
      }),
      { numRuns: 2000 },
    );
  });

  it('allow no address in a tooltip that would become a link', () => {
    for (const text of ['https://evil.example', 'HTTP://evil.example', 'www.evil.example', 'me@evil.example']) {
      assert.doesNotMatch(toTooltip(`see ${text} now`), /:\/\/|www\.|@evil/i);
    }
    // CommonMark 0.31, section 6.5
    assert.doesNotMatch(toTooltip('<vscode-remote-resource:/etc/passwd>'), /<[a-z][a-z0-9+.-]*:[^\s<>]*>/i);
    assert.doesNotMatch(toTooltip('&ZeroWidthSpace;&#8203; &amp;'), /&[#a-z]/i);
    fc.assert(fc.property(hostile, (text) => !/:\/\/|\bwww\.|<[a-z]/i.test(toTooltip(text))));
  });

  it('allow no icon in a quick pick or the status bar', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const label = toPickLabel(text);
        assert.ok(!label.includes('$('), label);
        assert.doesNotMatch(label, ICON);
        assert.doesNotMatch(label, UNSEEN);
      }),
      { numRuns: 2000 },
    );
  });

  it('allow no link or icon in the line below an input box', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = toBoxLine(text, 500);
        assert.doesNotMatch(line, LINK);
        assert.ok(!line.includes('](') && !line.includes('$('), line);
        assert.doesNotMatch(line, UNSEEN);
      }),
    );
  });

  it('let no text start a new log entry', () => {
    const entry = '2026-01-01 00:00:00.000 [info] all is well';
    for (const end of ['\n', '\r\n', '\r', '\u2028', '\u2029']) {
      assert.equal(toLogLines(`failed${end}${entry}\x1b[2J\u202e`), `failed\n    ${entry}[2J`);
    }
  });

  it('make a label one line of bounded length that does not end in half a character', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 150 }), (text, max) => {
        const label = toLabel(text, max);
        assert.ok(label.length <= max, `${label.length} > ${max}`);
        assert.doesNotMatch(label, /[\r\n\t\u2028]/);
        assert.doesNotMatch(label, UNSEEN);
        assert.ok(HALF.test(text) || !HALF.test(label), JSON.stringify(label));
      }),
    );
  });

  it('remove invisible characters', () => {
    const doors = { toBoxLine, toLabel, toLogLines, toNotice, toPickLabel, toTooltip };
    for (const [name, door] of Object.entries(doors)) {
      assert.equal(door(`Fix${TAGS}\u00ad the\u200b docs\u3164 👩‍👧`), 'Fix the docs 👩‍👧', name);
    }
    assert.equal(toText(`Fix${TAGS}\nthe docs`, 100), 'Fix\nthe docs');
  });

  it('show invisible characters as code points in a question', () => {
    assert.equal(toQuestion('  docs\u200b\n\u{e0041} 👩‍👧 '), 'docs⟨U+200B⟩ ⟨U+E0041⟩ 👩‍👧');
    assert.equal(toQuestion(`docs${TAGS}`, 10), 'docs⟨U+E0…');
  });

  it('make labels from very long text', () => {
    assert.equal(toLabel(`${'\n '.repeat(500_000)}Fix the docs`), 'Fix the docs');
    assert.equal(toLabel(`Fix ${' '.repeat(5_000)}the docs${'\u200b'.repeat(1_000_000)}`), 'Fix the docs');
    assert.equal(toLabel('x'.repeat(30_000), 20_000).length, 20_000);
    assert.equal(toLabel('x'.repeat(30_000), Infinity).length, 30_000);
  });

  it('keep the visible text', () => {
    assert.equal(toLabel('  Fix\n\tthe   docs \u202e '), 'Fix the docs');
    assert.equal(toLabel('x'.repeat(120)), 'x'.repeat(120));
    assert.equal(toLabel('x'.repeat(121)), `${'x'.repeat(119)}…`);
    assert.equal(toLabel('ab🚀d', 4), 'ab…');
    assert.equal(toTooltip('a\tb\r\nc\u2066\0d'), 'a\tb\r\ncd');
    assert.equal(toNotice('see [a] (b), f(x)[1]'), 'see [a] (b), f(x)[1]');
    assert.equal(toPickLabel('costs $5 (five)'), 'costs $5 (five)');
  });

  it('keep markup visible but inactive', () => {
    assert.equal(toNotice('[a](command:b)').replaceAll('\u2060', ''), '[a](command:b)');
    assert.equal(toPickLabel('$(zap)').replaceAll('\u2060', ''), '$(zap)');
  });
});

describe('firstLine', () => {
  it('returns the first line that is not blank', () => {
    assert.equal(firstLine('\n  \r\n\tone\r\ntwo'), '\tone');
    assert.equal(firstLine(' \n\r\n'), '');
    assert.equal(firstLine(''), '');
  });
});
