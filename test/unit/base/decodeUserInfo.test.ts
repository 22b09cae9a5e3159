import assert from 'node:assert/strict';
import { decodeUserInfo } from '../../../src/base/network';

describe('decodeUserInfo', () => {
  it('takes a lone percent sign literally', () => {
    assert.deepEqual(['a%20b', '%zz', '100%'].map(decodeUserInfo), ['a b', '%zz', '100%']);
  });
});
