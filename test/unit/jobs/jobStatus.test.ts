import { strictEqual } from 'node:assert/strict';
import { followUpObstacle, promptToRetry } from '../../../src/jobs/jobStatus';
import type { OutgoingPrompt, PromptState } from '../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../support/trackedJob';

const create = (state: PromptState): OutgoingPrompt => ({
  id: 's',
  kind: 'create',
  text: 'p',
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
      strictEqual(followUpObstacle(trackedJob({ prompts: [create(state)] })), 'notAccepted');
    }
  });

  it('is not possible for a discarded prompt', () => {
    strictEqual(followUpObstacle(trackedJob({ prompts: [create('discarded')] })), 'discarded');
  });
});

describe('the prompt to try again', () => {
  const followUp = (id: string, state: PromptState, change: Partial<OutgoingPrompt> = {}): OutgoingPrompt => ({
    ...create(state),
    id,
    kind: 'followUp',
    ...change,
  });
  const retried = (status: string, ...prompts: OutgoingPrompt[]): string | undefined =>
    promptToRetry(trackedJob({ snapshot: snapshot(status), prompts }))?.id;

  it('is the last one that the service accepted, of a job that failed or was stopped', () => {
    strictEqual(retried('failed', create('created')), 's');
    strictEqual(retried('failed', create('created'), followUp('f', 'created'), followUp('g', 'rejected')), 'f');
    const stopped = snapshot('failed', { stopped: true });
    strictEqual(promptToRetry(trackedJob({ snapshot: stopped, prompts: [create('created')] }))?.id, 's');
  });

  it('does not exist for a job that did not fail, or whose prompts are unknown', () => {
    strictEqual(retried('completed', create('created')), undefined);
    strictEqual(retried('active', create('created')), undefined);
    strictEqual(retried('failed'), undefined);
  });

  it('does not exist while another prompt is about to start a run, so that a double click sends one', () => {
    strictEqual(retried('failed', create('created'), followUp('f', 'queued')), undefined);
    strictEqual(retried('failed', create('created'), followUp('f', 'sending')), undefined);
    const held = followUp('f', 'waiting', { waiting: { for: 'runEnd', held: 'ended' } });
    strictEqual(retried('failed', create('created'), held), 's');
  });
});
