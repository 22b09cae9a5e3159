import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { compactActivityLog } from '../../../../src/local-service/store/activityTable';

describe('compactActivityLog', () => {
  it('writes a message that has many pieces only once', () => {
    const text = JSON.stringify({ kind: 'message', text: 'piece' });
    const rows = Array.from({ length: 2_001 }, (_, id) => ({ id, turnId: 1, text }));
    const written = mock.method(JSON, 'stringify').mock;
    const compacted = compactActivityLog(rows);
    mock.restoreAll();
    assert.deepEqual(JSON.parse(compacted[0]?.text ?? ''), { kind: 'message', text: 'piece'.repeat(1_000) });
    assert.equal(compacted.length, 1_002);
    assert.equal(written.callCount(), 1);
  });
});
