import assert from 'node:assert/strict';
import { failureText } from '../../../../src/extension/presentation/serviceText';
import type { Snapshot } from '../../../../src/jobs/events';
import { coded } from '../../../../src/protocol/codedText';

describe('the reason why a job failed', () => {
  const none = { prLink: null, ref: null, repository: null, model: null, createdAt: null, error: null };
  const snapshot: Snapshot = { id: 'j1', status: 'failed', ...none };
  const NEXT = 'Try again, or send a follow-up.';

  it('says what the agent did and reported, and what can be done', () => {
    const end = coded('agentEndedWithCode', { code: 1 });
    const error = coded('saying', { text: end, words: 'No model.' });
    const told = `The agent failed with exit code 1. ${NEXT} The agent reported: No model.`;
    assert.equal(failureText({ ...snapshot, error: 'other words', coded: { error } }), told);
  });

  it('says what can be done when the service gives no reason', () => {
    assert.equal(failureText(snapshot), `The service gave no reason. ${NEXT}`);
    assert.equal(failureText({ ...snapshot, error: '' }), `The service gave no reason. ${NEXT}`);
    assert.equal(failureText({ ...snapshot, error: 'no such branch' }), 'no such branch');
  });

  it('is empty for a job that was stopped or did not fail', () => {
    assert.equal(failureText({ ...snapshot, stopped: true }), '');
    assert.equal(failureText({ ...snapshot, status: 'completed' }), '');
    assert.equal(failureText(undefined), '');
  });
});
