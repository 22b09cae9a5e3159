import { deepStrictEqual } from 'node:assert/strict';
import { Emitter } from '../../../../src/base/disposable';
import { ChangesViews, otherChanges } from '../../../../src/extension/features/pull-requests/changesViews';
import { hasNewWork } from '../../../../src/extension/platform/seenVersions';
import { LOCAL_SERVICE } from '../../../../src/jobs/events';
import type { JobChange } from '../../../../src/jobs/jobStore';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const ended = (endedAt: number, status = 'completed') => trackedJob({ endedAt, snapshot: snapshot(status) });
const running = trackedJob({ snapshot: snapshot('active') });

describe('open changes of a job', () => {
  function open() {
    const changes = new Emitter<JobChange>(() => undefined);
    const told: (number | undefined)[] = [];
    const since: (string | undefined)[] = [];
    const opened = new ChangesViews({ onDidChange: changes.event }, ({ endedAt }, reviewed) => {
      told.push(endedAt);
      since.push(reviewed);
    });
    const view = { open: true, isOpen: () => view.open, isActive: () => view.open, close: () => (view.open = false) };
    return { changes, told, since, opened, view };
  }

  it('are reported as outdated once when a follow-up ends', async () => {
    const { changes, told, since, opened, view } = open();
    await opened.replace(ended(1), view, { isAll: true, reviewed: 'c1' });
    changes.fire({ before: ended(1), job: running });
    changes.fire({ before: running, job: ended(2) });
    changes.fire({ before: ended(2), job: { ...ended(2), unseen: true } });
    deepStrictEqual([told, since], [[2], ['c1']]);
  });

  it('are not reported as outdated when closed, after a failed follow-up, or when opened later', async () => {
    const { changes, told, opened, view } = open();
    changes.fire({ before: running, job: ended(1) });
    await opened.replace(ended(1), view);
    changes.fire({ before: running, job: ended(1) });
    changes.fire({ before: running, job: ended(2, 'failed') });
    view.open = false;
    changes.fire({ before: running, job: ended(3) });
    deepStrictEqual(told, []);
  });

  it('name their job while they are the active editor', async () => {
    const { opened, view } = open();
    await opened.replace({ ...ended(1), key: 'behind' }, { ...view, isActive: () => false });
    await opened.replace(ended(1), view);
    deepStrictEqual(opened.activeJob, 'k');
    view.open = false;
    deepStrictEqual(opened.activeJob, undefined);
  });

  it('are updated once at a time, because an update shows the newest state', async () => {
    const { opened } = open();
    const done: string[] = [];
    let finish = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (finish = resolve));
    const first = opened.updateOnce('k', async () => waiting.then(() => void done.push('first')));
    await opened.updateOnce('k', async () => void done.push('second'));
    finish();
    await first;
    await opened.updateOnce('k', async () => void done.push('third'));
    deepStrictEqual(done, ['first', 'third']);
  });

  it('are closed when opened again, so that no outdated ones stay open', async () => {
    const { opened, view } = open();
    const newer = { ...view, isOpen: () => true };
    await opened.replace(ended(1), view);
    await opened.replace({ ...ended(1), key: 'another' }, newer);
    deepStrictEqual(view.open, true);
    await opened.replace(ended(2), newer);
    deepStrictEqual(view.open, false);
  });

  it('name their job while they are in front', async () => {
    const { opened, view } = open();
    deepStrictEqual(opened.activeJob, undefined);
    await opened.replace({ ...ended(1), key: 'behind' }, { ...view, isOpen: () => true, isActive: () => false });
    await opened.replace(ended(1), view);
    deepStrictEqual(opened.activeJob, ended(1).key);
    view.open = false;
    deepStrictEqual(opened.activeJob, undefined);
  });
});

describe('hasNewWork', () => {
  it('is true for a run that ended since and did not fail', () => {
    deepStrictEqual(
      [undefined, running, ended(1), ended(2), ended(2, 'failed'), ended(2, 'archived')].map((job) =>
        hasNewWork(job, 1),
      ),
      [false, false, false, true, false, true],
    );
    deepStrictEqual(hasNewWork(ended(1), undefined), true);
  });
});

describe('otherChanges', () => {
  const followUp = { id: 's', text: 'One', kind: 'followUp', at: 0, state: 'created', attempt: 1 } as const;
  const at = (service: string): TrackedJob => ({ ...ended(2), location: { service, projectId: 'p' } });
  const [hosted, local] = [at('https://service.test'), at(LOCAL_SERVICE)];

  it('lead back to all changes from a part of them', () => {
    deepStrictEqual(otherChanges(hosted, { isAll: false, hasNew: true }), 'all');
  });

  it('can’t be opened during a run', () => {
    for (const isAll of [false, true]) {
      deepStrictEqual(otherChanges({ ...hosted, snapshot: snapshot('active') }, { isAll, hasNew: true }), undefined);
    }
  });

  it('are what is new since the review of a hosted job, or what the last follow-up of a local job changed', () => {
    const updated = { ...local, prompts: [...local.prompts, followUp] };
    deepStrictEqual(
      [otherChanges(hosted, { isAll: true, hasNew: true }), otherChanges(hosted, { isAll: true, hasNew: false })],
      ['new', undefined],
    );
    deepStrictEqual(
      [otherChanges(updated, { isAll: true, hasNew: false }), otherChanges(local, { isAll: true, hasNew: true })],
      ['new', undefined],
    );
  });
});
