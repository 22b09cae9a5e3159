import { strictEqual } from 'node:assert/strict';
import { followUpObstacle } from '../../../src/jobs/jobStatus';
import type { OutgoingPrompt, PromptState } from '../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../support/trackedJob';

const create = (state: PromptState): OutgoingPrompt => ({
  id: 's',
  kind: 'create',
  prompt: 'p',
  at: 0,
  state,
  attempt: 1,
});

describe('a follow-up', () => {
  for (const status of ['active', 'completed', 'failed', 'archived', 'new-status']) {
    it(`is possible for a job that is ${status}`, () => {
      strictEqual(followUpObstacle(trackedJob({ snapshot: snapshot(status) })), undefined);
    });
  }

  it('is not possible for a job that was removed from the list', () => {
    strictEqual(followUpObstacle(trackedJob({ snapshot: snapshot('completed'), untracked: true })), 'removed');
  });

  it('is not possible before the service has accepted the job', () => {
    for (const state of ['queued', 'waiting', 'sending', 'rejected', 'unconfirmed'] as const) {
      strictEqual(followUpObstacle(trackedJob({ sends: [create(state)] })), 'notAccepted');
    }
  });

  it('is not possible for a discarded prompt', () => {
    strictEqual(followUpObstacle(trackedJob({ sends: [create('discarded')] })), 'discarded');
  });
});
