import { deepEqual, equal } from 'node:assert/strict';
import { sandboxNeeds } from '../../../../src/local-service/agents/confinement';

describe('what the sandbox program stands on', () => {
  it('is some programs on Linux, what the system has on macOS, and it is not used on Windows', () => {
    deepEqual(sandboxNeeds('linux'), ['bwrap', 'socat', 'rg']);
    deepEqual(sandboxNeeds('darwin'), []);
    equal(sandboxNeeds('win32'), undefined);
  });
});
