import assert from 'node:assert/strict';
import { delimiter, resolve } from 'node:path';
import fc from 'fast-check';
import { allowedEnvironment } from '../../../src/git/environment';
import { agentEnvironment } from '../../../src/local-service/agents/prepareAgentStart';

describe('allowedEnvironment', () => {
  it('keeps what a program needs, with its original spelling', () => {
    const kept = { PATH: resolve('/bin'), HOME: '/h', LC_ALL: 'C', SystemRoot: 'C:\\Windows', TERM: 'xterm' };
    assert.deepEqual(allowedEnvironment(kept), kept);
  });

  it('keeps only the absolute folders of PATH', () => {
    const path = ['', delimiter === ';' ? 'C:\\bin' : '/bin', '.', 'bin', './node_modules/.bin', ''].join(delimiter);
    assert.deepEqual(allowedEnvironment({ PATH: path }), { PATH: delimiter === ';' ? 'C:\\bin' : '/bin' });
    assert.deepEqual(allowedEnvironment({ PATH: delimiter }), {});
    assert.deepEqual(agentEnvironment({ PATH: '.' }, ['PATH'], 'j'), { DOCS_AGENT_JOB: 'j' });
  });

  it('drops tokens, keys and variables that control how a program runs', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'NODE_OPTIONS',
        'ELECTRON_RUN_AS_NODE',
        'LD_PRELOAD',
        'SSH_AUTH_SOCK',
        'BASH_ENV',
        'LC_',
        'LC_A B',
      ),
      fc.stringMatching(/^(VSCODE|GIT|DOCS_AGENT|NPM|LD)_[A-Z_]{1,12}$/),
      fc.stringMatching(/^[A-Z_]{1,12}_(TOKEN|KEY|SECRET)$/).filter((each) => !each.startsWith('LC_')),
    );
    fc.assert(
      fc.property(name, (each) => assert.deepEqual(allowedEnvironment({ [each]: 'x' }), {})),
      { numRuns: 1000 },
    );
  });
});
