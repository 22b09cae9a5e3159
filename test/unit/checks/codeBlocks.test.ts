import { match, strictEqual } from 'node:assert/strict';
import { checkCodeBlock } from '../../../src/checks/links';

describe('the check of a code block', () => {
  const messageOf = (language: string, text: string): string | undefined =>
    checkCodeBlock({ language, text, line: 1 } as Parameters<typeof checkCodeBlock>[0], 'a.md')?.message;

  it('says what is invalid', () => {
    strictEqual(messageOf('yaml', 'a: ['), 'unexpected end of the stream within a flow collection (1:5)');
  });

  it('ignores a block of more than 20,000 characters', () => {
    strictEqual(messageOf('toml', 'a'.repeat(20_001)), undefined);
    match(messageOf('toml', 'a'.repeat(20_000)) ?? '', /./);
  });

  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const deep: [string, string][] = [
    ['yaml', nested(9_000)],
    ['yaml', '- '.repeat(9_000)],
    ['toml', `a = ${nested(9_000)}`],
    ['json', nested(9_000)],
  ];
  for (const [language, text] of deep) {
    it(`says nothing about ${language} that is too deeply nested to be read: ${text.slice(0, 6)}`, () => {
      strictEqual(messageOf(language, text), undefined);
    });
  }
});
