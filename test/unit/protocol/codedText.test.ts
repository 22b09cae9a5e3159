import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { toEnglish } from '../../../src/local-service/codedText';
import { codedField, codedTextSchema } from '../../../src/protocol/fieldSchemas';
import { coded, type CodedText, fillIn, renderText } from '../../../src/protocol/codedText';

const nested = coded('agentMissing', {
  how: coded('agentNotInstalled', {
    title: 'Goose',
    program: 'goose',
    get: coded('getAtAddress', { address: 'https://example.org/{title}' }),
  }),
});

describe('coded text', () => {
  it('is rendered in English and in German, with nested texts', async () => {
    strictEqual(
      toEnglish(nested),
      'Goose isn’t installed: “goose” wasn’t found. To install it, see https://example.org/{title}. Or choose another agent (docsAgent.local.agent, or --agent).',
    );
  });

  for (const [title, text] of [
    ['a code of a newer version', { code: 'ofTheFuture' }],
    ['the name of a method', { code: 'toString' }],
    ['a code without its parameters', { code: 'hostSilent', params: { name: 'x' } }],
    ['one that holds such a text', { code: 'saying', params: { text: { code: 'ofTheFuture' }, words: 'x' } }],
  ] satisfies [string, CodedText][]) {
    it(`is not rendered when it is ${title}`, () => {
      strictEqual(renderText(text, fillIn), undefined);
      deepStrictEqual(codedTextSchema.parse(text), text);
    });
  }

  it('has parameters of limited length', () => {
    const { params } = coded('plain', { text: 'x'.repeat(9_000) });
    deepStrictEqual(params, { text: `${'x'.repeat(1_999)}…` });
  });

  it('is dropped from an answer if its form is unknown or it is nested too deeply', () => {
    let deep = coded('plain', { text: 'x' });
    for (let depth = 0; depth < 6; depth++) {
      deep = coded('plain', { text: deep });
    }
    for (const value of [7, 'text', [], { params: {} }, { code: 'plain', params: { text: null } }, deep]) {
      strictEqual(codedField.parse(value), undefined);
    }
  });
});
