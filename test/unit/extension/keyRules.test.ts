import assert from 'node:assert/strict';
import { DEFAULT_ORIGIN, type KeyProblem, keyProblem } from '../../../src/extension/platform/apiKeys';

describe('keyProblem', () => {
  const OTHER = 'https://agents.example';
  const table: [string, string, KeyProblem | undefined][] = [
    ['mint_abc', DEFAULT_ORIGIN, undefined],
    ['mint_dsc', DEFAULT_ORIGIN, undefined],
    ['mint_dsc_abc', DEFAULT_ORIGIN, 'otherKind'],
    ['mint_us_abc', DEFAULT_ORIGIN, 'otherKind'],
    ['local_abc', DEFAULT_ORIGIN, 'prefix'],
    ['Mint_abc', DEFAULT_ORIGIN, 'prefix'],
    ['xmint_abc', DEFAULT_ORIGIN, 'prefix'],
    ['mint_dsc_abc', OTHER, undefined],
    ['anything!~', OTHER, undefined],
  ];
  for (const [key, origin, expected] of table) {
    it(`returns ${expected ?? 'nothing'} for ${key} at ${origin}`, () =>
      assert.equal(keyProblem(key, origin), expected));
  }

  for (const origin of [DEFAULT_ORIGIN, OTHER]) {
    it(`rejects keys for ${origin} that are not valid in a header`, () => {
      assert.equal(keyProblem('', origin), 'empty');
      for (const key of [' mint_abc', 'mint_abc\n', 'mint_a bc', 'mint_\u00a0abc', '\t']) {
        assert.equal(keyProblem(key, origin), 'whitespace', JSON.stringify(key));
      }
      for (const key of ['mint_äbc', 'mint_\0abc', 'mint_abc\x7f', 'mint_„abc“', 'mint_\u200babc']) {
        assert.equal(keyProblem(key, origin), 'nonAscii', JSON.stringify(key));
      }
    });
  }
});
