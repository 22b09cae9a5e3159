import { strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { commentTrigger } from '../../../src/prompt/commentTrigger';

const WORDS = ['TODO', 'DOC', 'DOCS'];

/** Checks the last line of a text. */
function trigger(text: string, languageId = 'typescript', words: readonly string[] = WORDS): string | undefined {
  const lines = text.split('\n');
  return commentTrigger((line) => lines[line] ?? '', lines.length - 1, languageId, words);
}

describe('comment that asks for documentation', () => {
  for (const [text, languageId] of [
    ['// TODO: tell how', 'typescript'],
    ['call(); // DOC', 'typescript'],
    ['/* TODO */', 'c'],
    ['/**\n * Sends.\n * TODO example', 'java'],
    ['x = "it\'s"  # TODO', 'python'],
    ['-- TODO', 'sql'],
    ['<!-- TODO -->', 'markdown'],
    ['<!--\nTODO', 'html'],
    ["const at = 'a'; // TODO", 'javascript'],
  ] as const) {
    it(`is recognized in ${languageId}: ${JSON.stringify(text)}`, () => {
      strictEqual(trigger(text, languageId) !== undefined, true);
    });
  }

  for (const [text, languageId] of [
    ['const TODO = 1;', 'typescript'],
    ['// TODOS and mydoc, DOCSTRING', 'typescript'],
    ['// todo', 'typescript'],
    ['open("// TODO");', 'typescript'],
    ["open('https://TODO');", 'typescript'],
    ['/* done */ TODO();', 'typescript'],
    ['/*\n*/\nTODO();', 'typescript'],
    ['TODO: write', 'markdown'],
    ['# TODO', 'markdown'],
    ['TODO = 1', 'python'],
    ['', 'python'],
  ] as const) {
    it(`is not recognized in ${languageId}: ${JSON.stringify(text)}`, () => {
      strictEqual(trigger(text, languageId), undefined);
    });
  }

  it('matches keywords literally, and nothing for an empty list', () => {
    strictEqual(trigger('// TODO', 'typescript', []), undefined);
    strictEqual(trigger('// a.b*', 'typescript', ['a.b*']), 'a.b*');
    strictEqual(trigger('// axb', 'typescript', ['a.b*', '', ' ']), undefined);
    strictEqual(trigger('// 文書: これ', 'typescript', ['文書']), '文書');
    strictEqual(trigger('// DOCS then TODO', 'typescript'), 'DOCS');
  });

  it('ignores long words and lines that are data', () => {
    strictEqual(trigger(`// ${'x'.repeat(41)}`, 'typescript', ['x'.repeat(41)]), undefined);
    strictEqual(trigger(`// ${'x '.repeat(5_000)}TODO`, 'typescript'), undefined);
    strictEqual(trigger(`/*\n${'x '.repeat(6_000)}\nTODO`, 'typescript'), undefined);
  });

  it('never throws and is never found without a keyword', () => {
    const pieces = fc.array(
      fc.constantFrom('//', '/*', '*/', '<!--', '-->', '"', "'", '\\', 'TODO', ' ', '\n', '#', 'x'),
    );
    fc.assert(
      fc.property(
        pieces,
        fc.array(fc.string()),
        fc.constantFrom('typescript', 'python', 'markdown', 'x'),
        (text, words, language) => {
          trigger(text.join(''), language, words);
          // Without a trigger word nothing may be found.
          strictEqual(trigger(text.join('').replaceAll('TODO', ''), language), undefined);
        },
      ),
    );
  });
});
