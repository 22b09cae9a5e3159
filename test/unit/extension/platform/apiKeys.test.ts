import assert from 'node:assert/strict';
import { DEFAULT_ORIGIN, type KeyProblem, keyProblem } from '../../../../src/extension/platform/apiKeys';
import { keyBoxText } from '../../../../src/extension/platform/keyPrompt';
import { projectIdProblem, projectIdPrompt } from '../../../../src/extension/sending/projects';

const OTHER = 'https://agents.example';

describe('an entered API key', () => {
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
    it(`has the problem ${expected ?? 'none'} if it is ${key} for ${origin}`, () =>
      assert.equal(keyProblem(key, origin), expected));
  }

  it('is valid in a header', () => {
    for (const origin of [DEFAULT_ORIGIN, OTHER]) {
      assert.equal(keyProblem('', origin), 'empty');
      for (const key of [' mint_abc', 'mint_abc\n', 'mint_a bc', 'mint_\u00a0abc', '\t']) {
        assert.equal(keyProblem(key, origin), 'whitespace', JSON.stringify(key));
      }
      for (const key of ['mint_äbc', 'mint_\0abc', 'mint_abc\x7f', 'mint_„abc“', 'mint_\u200babc']) {
        assert.equal(keyProblem(key, origin), 'nonAscii', JSON.stringify(key));
      }
    }
  });

  it('comes from the API keys page only for the service that has one', () => {
    assert.match(projectIdPrompt(DEFAULT_ORIGIN), /API keys page/);
    assert.match(projectIdPrompt(OTHER), /administrator or dashboard/);
    assert.match(keyBoxText(DEFAULT_ORIGIN), /admin API key from the dashboard/);
    assert.match(keyBoxText(OTHER), /administrator or dashboard.*https:\/\/agents\.example/);
  });

  it('is not accepted as a project ID, because it would be saved in the settings', () => {
    for (const key of ['mint_abc', `team_${'0f'.repeat(32)}`]) {
      assert.match(projectIdProblem(key) ?? '', /API key/);
    }
    for (const id of ['docs-1234567890', 'team_docs-1234567890']) {
      assert.equal(projectIdProblem(id), undefined);
    }
  });
});
