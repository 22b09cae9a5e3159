import assert from 'node:assert/strict';
import { jobStatus, STOPPED_REASON } from '../../../../src/local-service/jobs/jobStatus';
import type { Turn, TurnState } from '../../../../src/local-service/store/jobStore';
import { plain } from '../../../support/codedText';
import { sampleTurn } from '../../../support/sampleTurn';

const turns = (...states: TurnState[]): Turn[] =>
  states.map((state, id) => sampleTurn({ id, state, reason: state === 'failed' ? plain(`reason ${id}`) : null }));

describe('jobStatus', () => {
  for (const state of ['queued', 'running', 'publishing'] as const) {
    it(`is active while a turn is ${state}`, () => {
      assert.deepEqual(jobStatus(turns('done', state)), { status: 'active' });
      assert.deepEqual(jobStatus(turns(state, 'failed')), { status: 'active' });
    });
  }

  it('is the outcome of the newest turn', () => {
    assert.deepEqual(jobStatus(turns('failed', 'done')), { status: 'completed' });
    assert.deepEqual(jobStatus(turns('done', 'failed')), { status: 'failed', error: plain('reason 1') });
    assert.deepEqual(jobStatus(turns('cancelled', 'done')), { status: 'completed' });
  });

  it('distinguishes a job that the user stopped from one that failed', () => {
    assert.deepEqual(jobStatus(turns('done', 'cancelled')), { status: 'failed', error: STOPPED_REASON, stopped: true });
    assert.deepEqual(jobStatus(turns('cancelled', 'failed')), { status: 'failed', error: plain('reason 1') });
  });
});
