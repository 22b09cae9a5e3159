import assert from 'node:assert/strict';
import { taskkill } from '../../../src/shared/util/killGroup';

describe('taskkill', () => {
  it('is the system’s own, wherever that is installed', () => {
    assert.equal(taskkill({ SystemRoot: 'D:\\WINNT' }), 'D:\\WINNT\\System32\\taskkill.exe');
    assert.equal(taskkill({}), 'C:\\Windows\\System32\\taskkill.exe');
  });
});
