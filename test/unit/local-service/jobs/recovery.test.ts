import assert from 'node:assert/strict';
import { planRecovery } from '../../../../src/local-service/jobs/recovery';
import type { TurnState } from '../../../../src/local-service/store/jobStore';

const left = (state: TurnState, attempt = 0, uncountedAttempts = 0) => ({ state, attempt, uncountedAttempts });

describe('recovery of turns after the service stopped', () => {
  it('keeps queued turns, restarts running ones, and fails those interrupted too often', () => {
    assert.deepEqual(planRecovery([left('queued')]), ['wait']);
    assert.deepEqual(planRecovery([left('running', 0)]), ['again']);
    assert.deepEqual(planRecovery([left('running', 1)]), ['again']);
    assert.deepEqual(planRecovery([left('running', 2)]), ['fail']);
    assert.deepEqual(planRecovery([left('running', 9, 8)]), ['again']);
  });

  it('resumes publishing no matter how often it was interrupted', () => {
    assert.deepEqual(planRecovery([left('publishing', 5)]), ['publish']);
  });

  it('replaces an interrupted turn with a newer message, but not one that is publishing', () => {
    assert.deepEqual(planRecovery([left('publishing', 1), left('running', 1), left('queued')]), [
      'publish',
      'replaced',
      'wait',
    ]);
  });
});
