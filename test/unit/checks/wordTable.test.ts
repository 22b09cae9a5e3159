import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { wordsOf } from '../../../src/checks/names';
import { ROLES, rolesAt } from '../../../src/checks/roles';
import { SeenWords, WordTable } from '../../../src/checks/wordTable';
import { seed } from '../../support/scale';

function scan(text: string, words: readonly string[]): string[] {
  const table = new WordTable();
  words.forEach((word) => table.add(word));
  const found: string[] = [];
  table.scan(Buffer.from(text, 'latin1'), (word, start, end) => {
    strictEqual(text.slice(start, end), table.words[word]);
    found.push(text.slice(start, end));
  });
  return found;
}

describe('a table of words', () => {
  it('finds words with hyphens whole and in parts, and where a name is assembled', () => {
    const words = ['retry-max', 'retry', 'max', 'retry-', 'retry-max-', 'x'];
    deepStrictEqual(scan('--retry-max', words), ['retry', 'retry-max', 'max']);
    deepStrictEqual(scan('`retry-${x}`', words), ['retry', 'retry-', 'x']);
    deepStrictEqual(scan('a-retry-max retry_max', words), ['retry', 'max']);
  });

  it('finds each of very many words', () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `word${index}`);
    deepStrictEqual(scan(words.join(' '), words), words);
  });

  it('finds each word of a text, as often as reading the text word by word does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '1', '_', '-', '.', ' ', '\n', 'é'), maxLength: 60 });
    fc.assert(
      fc.property(text, (source) => {
        const all = [...new Set(wordsOf(source))].filter((word) => /^[A-Za-z]/.test(word));
        const found = new Set(scan(source, all));
        const seen = new SeenWords();
        seen.addText(Buffer.from(source, 'latin1'));
        for (const word of all) {
          // A word within a longer one begins after a digit or a hyphen.
          const isWhole = new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(source);
          strictEqual(!isWhole || (found.has(word) && seen.has(word)), true, JSON.stringify([source, word]));
        }
      }),
      { seed },
    );
  });
});

describe('the role of a word in code', () => {
  const roleOf = (line: string): number => rolesAt(line, line.indexOf('force'), line.indexOf('force') + 5);

  it('is that of a flag only with hyphens before it, or as a string of its own', () => {
    for (const line of ['add("--force")', "option('force', x)", '"force,f"', 'on "--force FILE"', 'long: :force, x']) {
      strictEqual(roleOf(line) & ROLES.flag, ROLES.flag, line);
    }
    for (const line of ['const force = 1;', 'a.force()', 'log("use force here")', '// --force']) {
      strictEqual(roleOf(line) & ROLES.flag, 0, line);
    }
  });

  it('is that of a key with a value or as a string of its own, and none in a comment or a sentence', () => {
    for (const line of ['force: true', '"force": 1', 'force = 1', "get('force')", 'force => 1']) {
      strictEqual(roleOf(line) & ROLES.key, ROLES.key, line);
    }
    for (const line of ['// force: it', 'if (a.force == 1)', 'log("please force it")']) {
      strictEqual(roleOf(line) & ROLES.key, 0, line);
    }
    strictEqual(roleOf('log("please force it")'), ROLES.any);
    strictEqual(roleOf('return a.force();'), ROLES.any | ROLES.code);
  });
});
