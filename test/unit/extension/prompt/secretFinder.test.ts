import { deepStrictEqual } from 'node:assert/strict';
import { SecretFinder, type SecretFinderOptions } from '../../../../src/extension/sending/sendGuard';
import { redactFindings } from '../../../../src/prompt/secrets/findSecrets';

const none = { addStoredSecrets: () => Promise.resolve(), find: () => [] };
const finder = new SecretFinder({ keys: none, tokens: none, log: console } as unknown as SecretFinderOptions);

describe('secret search in several texts', () => {
  it('searches each text separately, so that no match spans two texts', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const texts = ['-----BEGIN PRIVATE KEY-----', 'Explain the tides', `Use ${token}`, '-----END PRIVATE KEY-----'];
    const found = await finder.findEach(texts);
    deepStrictEqual(
      texts.map((text, index) => redactFindings(text, found[index] ?? [], (kind) => kind).replace(/: [^\]]+\]/, ']')),
      ['-----BEGIN PRIVATE KEY-----', 'Explain the tides', 'Use [redacted]', '-----END PRIVATE KEY-----'],
    );
  });
});
