import assert from 'node:assert/strict';
import { isTerminal } from '../../../src/protocol/status';

describe('isTerminal', () => {
  it('is true for exactly the three final states', () => {
    for (const status of ['completed', 'failed', 'archived']) {
      assert.equal(isTerminal(status), true, status);
    }
    for (const status of ['active', 'Completed', 'paused', '', undefined]) {
      assert.equal(isTerminal(status), false, status);
    }
  });
});
