import assert from 'node:assert/strict';
import { isAboutStyle, restoreStyle } from '../../../../src/local-service/git/keptStyle';

const MARK = '\u00EF\u00BB\u00BF';

describe('restoreStyle', () => {
  const rows: [what: string, old: string, now: string, restored: string][] = [
    ['lines that end in CRLF', 'a\r\nb\r\n', 'a\nB\nc\n', 'a\r\nB\r\nc\r\n'],
    ['lines that end in LF', 'a\nb\n', 'a\r\nB\r\n', 'a\nB\n'],
    ['a line added with another end', 'a\r\nb\r\n', 'a\r\nb\r\nc\n', 'a\r\nb\r\nc\r\n'],
    ['a byte order mark', `${MARK}a\n`, 'A\n', `${MARK}A\n`],
    ['no byte order mark', 'a\n', `${MARK}A\n`, 'A\n'],
    ['a final newline', 'a\r\nb\r\n', 'A\nb', 'A\r\nb\r\n'],
    ['no final newline', 'a\nb', 'A\nb\n', 'A\nb'],
    ['no final newline of a single line', 'a', 'A\r\n', 'A'],
    ['all at once', `${MARK}a\r\nb`, 'a\nB\n', `${MARK}a\r\nB`],
    ['nothing of a file that was empty, or is', '', 'a\r\n', 'a\r\n'],
    ['nothing that is kept anyway', 'a\r\nb', 'A\r\nb', 'A\r\nb'],
  ];
  for (const [what, old, now, restored] of rows) {
    it(`keeps ${what}`, () => assert.equal(restoreStyle(old, now), restored));
  }

  it('keeps the end of each untouched line where they are mixed', () => {
    const old = 'a\r\n\nb\n\r\nc\r\n';
    // The second line is replaced by two others, and the last but one is gone.
    assert.equal(restoreStyle(old, 'a\nx\ny\nb\nc\n'), 'a\r\nx\ny\nb\nc\r\n');
    assert.equal(restoreStyle(old, old.replaceAll('\r', '')), old);
  });
});

describe('isAboutStyle', () => {
  it('is true only for prompts about line ends, byte order marks, or the end of a file', () => {
    for (const prompt of [
      'Use LF line endings',
      'Convert docs to CRLF.',
      'Add the missing newline at the end',
      'Remove the BOM',
      'Ersetze die Zeilenenden',
    ]) {
      assert.ok(isAboutStyle(prompt), prompt);
    }
    for (const prompt of [
      'Document the limits',
      'Add a new line at the end of line 3 about Bombay',
      'Fix the self-test',
    ]) {
      assert.ok(!isAboutStyle(prompt), prompt);
    }
  });
});
