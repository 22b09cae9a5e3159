import { deepEqual, equal } from 'node:assert/strict';
import { sandboxNeeds } from '../../../../src/local-service/agents/sandbox';

describe('sandbox requirements', () => {
  it('are three programs on Linux and none on macOS, and there is no sandbox on Windows', () => {
    deepEqual(sandboxNeeds('linux'), ['bwrap', 'socat', 'rg']);
    deepEqual(sandboxNeeds('darwin'), []);
    equal(sandboxNeeds('win32'), undefined);
  });
});
