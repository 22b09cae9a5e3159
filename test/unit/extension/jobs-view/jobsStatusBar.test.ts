import { strictEqual } from 'node:assert/strict';
import { JobsStatusBar } from '../../../../src/extension/features/jobs-view/jobsStatusBar';
import type { JobChange } from '../../../../src/jobs/jobStore';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { editor, window } from '../../../support/fakeEditor';
import { jobDescriber } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const running = trackedJob({ snapshot: snapshot('active') });
const queued = trackedJob({ snapshot: snapshot('active', { surroundings: { queued: true } }) });
const ready = trackedJob({ snapshot: snapshot('completed', { prLink: 'https://h/pull/1' }), unseen: true });
const failed = trackedJob({ snapshot: snapshot('failed'), endedAt: 1, unseen: true });
const rejected = trackedJob({
  prompts: [{ id: 's', kind: 'create', text: 'x', at: 0, attempt: 1, state: 'rejected' }],
});

describe('jobs in the status bar', () => {
  /** What the status bar shows of the jobs; empty when nothing. */
  const shown = async (...jobs: TrackedJob[]): Promise<{ text: string; label: string }> => {
    const item = { text: '', accessibilityInformation: { label: '' }, show: () => undefined, dispose: () => undefined };
    Object.assign(window, { createStatusBarItem: () => item });
    const changed = new editor.EventEmitter<JobChange>();
    const bar = new JobsStatusBar({ jobs, onDidChange: changed.event }, jobDescriber(), {
      isPutAside: (key) => key === 'other',
      onDidChangeTreeData: new editor.EventEmitter<undefined>().event,
    });
    changed.fire({} as JobChange);
    await new Promise((resolve) => setImmediate(resolve));
    bar.dispose();
    return { text: item.text, label: item.accessibilityInformation.label };
  };

  it('are counted by kind, in words for screen readers; a queued job is not in progress', async () => {
    strictEqual((await shown(running, running)).text, 'Docs: $(sync~spin) 2');
    strictEqual((await shown(ready)).text, 'Docs: $(git-pull-request) 1');
    strictEqual((await shown(running, ready)).text, 'Docs: $(git-pull-request) 1 $(sync~spin) 1');
    const all = await shown(running, ready, failed, rejected, queued);
    strictEqual(all.text, 'Docs: $(warning) 2 $(git-pull-request) 1 $(sync~spin) 1 $(clock) 1');
    const words = '2 jobs need attention, 1 unread job, 1 job in progress, 1 job waiting';
    strictEqual(all.label, `Docs Agent: ${words}. Show jobs.`);
  });

  it('need attention as in the group of the list, without jobs of other projects', async () => {
    const seen = { ...failed, unseen: false };
    strictEqual((await shown(failed, seen)).text, 'Docs: $(warning) 2');
    const other = await shown({ ...failed, key: 'other' }, { ...seen, key: 'other' });
    strictEqual(other.text, 'Docs: $(git-pull-request) 1');
  });

  it('are not shown once they are read, archived or removed from the list', async () => {
    strictEqual((await shown({ ...ready, unseen: false }, { ...running, untracked: true })).text, '');
  });
});
