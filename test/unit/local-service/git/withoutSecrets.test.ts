import assert from 'node:assert/strict';
import { withoutSecrets } from '../../../../src/local-service/git/workClone';

describe('withoutSecrets', () => {
  // Put together here, so that no scanner takes this file for a leak.
  const github = `ghp_${'a1B2'.repeat(9)}`;
  const own = `local_${'0123456789abcdef'.repeat(4)}`;

  it('takes out what has the shape of a key, and leaves the rest as it is', async () => {
    assert.equal(
      await withoutSecrets(`Document the client.\n\ntoken: ${github}\nkey: ${own}\n`),
      'Document the client.\n\ntoken: [blotted out: GitHub token]\nkey: [blotted out: docs agent API key]\n',
    );
    assert.equal(await withoutSecrets('Document retries'), 'Document retries');
    assert.equal(await withoutSecrets(''), '');
  });
});
