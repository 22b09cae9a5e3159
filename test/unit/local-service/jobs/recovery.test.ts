import assert from 'node:assert/strict';
import { fates } from '../../../../src/local-service/jobs/recovery';
import type { TurnState } from '../../../../src/local-service/store/jobStore';

const left = (state: TurnState, attempt = 0) => ({ state, attempt });

describe('what becomes of turns that a stop of the service left', () => {
  it('waits again, is taken up once more, and fails when that was cut off, too', () => {
    assert.deepEqual(fates([left('queued')]), ['wait']);
    assert.deepEqual(fates([left('running', 0)]), ['again']);
    assert.deepEqual(fates([left('running', 1)]), ['again']);
    assert.deepEqual(fates([left('running', 2)]), ['fail']);
  });

  it('is published however often it was cut off', () => {
    assert.deepEqual(fates([left('publishing', 5)]), ['publish']);
  });

  it('gives way to a newer message, but not what is being published', () => {
    assert.deepEqual(fates([left('publishing', 1), left('running', 1), left('queued')]), [
      'publish',
      'replaced',
      'wait',
    ]);
  });
});
