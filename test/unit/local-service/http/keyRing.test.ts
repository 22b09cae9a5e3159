import assert from 'node:assert/strict';
import { KeyRing } from '../../../../src/local-service/http/authentication';

describe('KeyRing', () => {
  const ring = new KeyRing([{ key: 'local_all' }, { key: 'local_some', projects: ['docs'] }]);

  it('grants access to everything, or only to the projects of the key', () => {
    assert.equal(ring.find('Bearer local_all')?.opens('anything'), true);
    assert.equal(ring.find('bearer local_some')?.opens('docs'), true);
    assert.equal(ring.find('Bearer local_some')?.opens('other'), false);
  });

  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'local_all',
    'Basic local_all',
    'Bearer local_all x',
    'Bearer local_al',
  ]) {
    it(`rejects ${header === undefined ? 'no header' : `“${header}”`}`, () =>
      assert.equal(ring.find(header), undefined));
  }
});
