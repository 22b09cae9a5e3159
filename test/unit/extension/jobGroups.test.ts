import assert from 'node:assert/strict';
import type { Snapshot } from '../../../src/jobs/events';
import { groupOf, JOB_GROUPS } from '../../../src/jobs/jobGroups';
import type { OutgoingPrompt, PromptState, TrackedJob } from '../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../support/trackedJob';

function job(
  status: string | undefined,
  sends: readonly OutgoingPrompt[] = [],
  change: Partial<Snapshot> = {},
): TrackedJob {
  return trackedJob({ sends, snapshot: status === undefined ? undefined : snapshot(status, change) });
}

function send(kind: OutgoingPrompt['kind'], state: PromptState): OutgoingPrompt {
  return { id: 's', kind, prompt: 'x', at: 0, attempt: 1, state };
}

describe('groupOf', () => {
  const byStatus: [string, Partial<Snapshot>, string][] = [
    ['active', {}, 'running'],
    ['a later word', {}, 'running'],
    ['completed', {}, 'done'],
    ['completed', { prLink: 'https://h/pull/1' }, 'ready'],
    ['archived', {}, 'done'],
    ['archived', { prLink: 'https://h/pull/1' }, 'done'],
    ['failed', {}, 'attention'],
    ['failed', { prLink: 'https://h/pull/1' }, 'attention'],
    ['failed', { stopped: true }, 'done'],
  ];
  for (const [status, change, group] of byStatus) {
    it(`puts ${status} ${JSON.stringify(change)} under ${group}`, () => {
      assert.equal(groupOf(job(status, [], change)), group);
    });
  }

  const bySend: [PromptState, string, string][] = [
    ['queued', 'running', 'done'],
    ['sending', 'running', 'done'],
    ['waiting', 'running', 'running'],
    ['rejected', 'attention', 'attention'],
    ['unconfirmed', 'attention', 'attention'],
  ];
  for (const [state, create] of bySend) {
    it(`puts a create with state ${state} under ${create}`, () => {
      assert.equal(groupOf(job(undefined, [send('create', state)])), create);
    });
  }
  for (const [state, , followUp] of bySend) {
    it(`puts a completed job whose follow-up has state ${state} under ${followUp}`, () => {
      assert.equal(groupOf(job('completed', [send('create', 'created'), send('followUp', state)])), followUp);
    });
  }

  it('ignores a follow-up that was accepted or discarded', () => {
    for (const state of ['created', 'discarded'] as const) {
      assert.equal(groupOf(job('failed', [send('followUp', state)])), 'attention');
    }
  });

  it('puts merged or closed work under done unless a prompt is pending', () => {
    const link = { prLink: 'https://h/pull/1' };
    assert.equal(groupOf(job('completed', [], link), true), 'done');
    assert.equal(groupOf(job('completed', [send('followUp', 'rejected')], link), true), 'attention');
    assert.equal(groupOf(job('completed', [send('followUp', 'waiting')], link), true), 'running');
  });

  it('keeps a job under running while a follow-up has yet to start', () => {
    assert.equal(groupOf({ ...job('completed'), awaitsActive: true }), 'running');
  });

  it('lists each group once', () => {
    assert.equal(new Set(JOB_GROUPS).size, JOB_GROUPS.length);
  });
});
