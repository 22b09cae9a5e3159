import assert from 'node:assert/strict';
import { redactDetectedSecrets } from '../../../../src/prompt/secrets/findSecrets';

describe('redactDetectedSecrets', () => {
  // Assembled here, so that secret scanners do not report this file.
  const github = `ghp_${'a1B2'.repeat(9)}`;
  const own = `local_${'0123456789abcdef'.repeat(4)}`;

  it('redacts anything shaped like a key and leaves the rest unchanged', async () => {
    assert.equal(
      await redactDetectedSecrets(`Document the client.\n\ntoken: ${github}\nkey: ${own}\n`),
      'Document the client.\n\ntoken: [redacted: GitHub token]\nkey: [redacted: docs agent API key]\n',
    );
    assert.equal(await redactDetectedSecrets('Document retries'), 'Document retries');
    for (const hidden of ['\u200B', '\u00AD', '\u0001', '\u000B', '\f', '\r', '\u001B', '\u0085']) {
      const text = await redactDetectedSecrets(`token: ${github.slice(0, 20)}${hidden}${github.slice(20)}\n`);
      assert.doesNotMatch(text, /gh[ps]_/);
    }
    assert.equal(await redactDetectedSecrets('no secret\u200Bhere'), 'no secret\u200Bhere');
    assert.equal(await redactDetectedSecrets(''), '');
  });
});
