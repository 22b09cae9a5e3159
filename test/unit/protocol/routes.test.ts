import assert from 'node:assert/strict';
import fc from 'fast-check';
import { pathOf } from '../../../src/protocol/routes';
import { isPathSafeId } from '../../../src/protocol/status';

describe('routes', () => {
  it('are the paths of the service', () => {
    assert.equal(pathOf('createJob', { projectId: 'p' }), '/v2/agent/p/job');
    assert.equal(pathOf('retrieveJob', { projectId: 'p', jobId: 'j' }), '/v2/agent/p/job/j');
    assert.equal(pathOf('sendMessage', { projectId: 'p', jobId: 'j' }), '/v2/agent/p/job/j/message');
  });

  it('encode safe ids as path segments and reject all others', () => {
    const anyId = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('.', '..', '%2e%2e', '\udbff'));
    fc.assert(
      fc.property(anyId, anyId, (project, job) => {
        const path = () => pathOf('sendMessage', { projectId: project, jobId: job });
        if (!isPathSafeId(project) || !isPathSafeId(job)) {
          assert.throws(path, RangeError);
          return;
        }
        const { pathname, search, hash } = new URL(`https://h${path()}`);
        const parts = pathname.split('/').map(decodeURIComponent);
        assert.deepEqual([parts, search, hash], [['', 'v2', 'agent', project, 'job', job, 'message'], '', '']);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('isPathSafeId', () => {
  it('accepts any id of up to 512 characters that is valid in a path', () => {
    for (const id of ['a', '...', '.a', 'ä/ö?#%', ' ', '🚀', 'x'.repeat(512)]) {
      assert.equal(isPathSafeId(id), true, id);
    }
    for (const id of ['', '.', '..', '\0', 'a\nb', '\x7f', '\u009f', '\ud83d', 'x'.repeat(513)]) {
      assert.equal(isPathSafeId(id), false, JSON.stringify(id));
    }
  });
});
