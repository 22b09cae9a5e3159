import { strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { terminalText } from '../../../src/prompt/blocks';

const SEQUENCES = [
  '\u001B[0m',
  '\u001B[38;5;208m',
  '\u001B[?25l',
  '\u001B[2K',
  '\u009B1A',
  '\u001B]8;;https://example.com/\u0007',
  '\u001B]0;npm test\u0007',
  '\u001B]0;npm test\u001B\\',
];

describe('the text of a terminal', () => {
  it('contains no control sequences', () => {
    const part = fc.oneof(fc.constantFrom(...SEQUENCES), fc.constantFrom('ok', ' 12', 'é', '[1]', '#;'));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const words = parts.filter((each) => !SEQUENCES.includes(each));
        strictEqual(terminalText(`>${parts.join('')}<`), `>${words.join('')}<`);
      }),
    );
  });

  it('keeps what follows an unfinished sequence', () => {
    strictEqual(terminalText('a\u001B]0;title'), 'a0;title');
    strictEqual(terminalText('a\u001B[12'), 'a12');
    strictEqual(terminalText('a\u001B'), 'a');
  });
});
