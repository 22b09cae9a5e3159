import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { askLocalWork, localWork, workState } from '../../../../src/extension/review/localWork';
import type { PullRequestState } from '../../../../src/extension/review/pullRequestStates';
import { LOCAL_SERVICE } from '../../../../src/jobs/events';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const LINK = 'https://github.com/acme/docs/pull/7';

function local(id: string, change: Partial<TrackedJob> = {}, prLink: string | null = null): TrackedJob {
  const job = trackedJob({
    home: { service: LOCAL_SERVICE, projectId: 'p1' },
    endedAt: 5,
    run: `run-${id}`,
    ...change,
  });
  return { ...job, key: id, snapshot: snapshot('completed', { id, prLink }) };
}

describe('how the work of a local job stands', () => {
  const known = (states: Record<string, PullRequestState>) => ({ of: (name: string) => states[name] });

  it('is known of its present run only', () => {
    const job = local('a');
    strictEqual(workState(job, known({ [localWork(job) ?? '']: 'merged' })), 'merged');
    strictEqual(workState({ ...job, run: 'next' }, known({ [localWork(job) ?? '']: 'merged' })), undefined);
    strictEqual(localWork({ ...job, endedAt: undefined }), undefined);
    strictEqual(localWork({ ...job, home: { service: 'https://api.example', projectId: 'p1' } }), undefined);
  });

  it('is what its code host says, where that has an end to tell', () => {
    const job = local('a', {}, LINK);
    const own = localWork(job) ?? '';
    strictEqual(workState(job, known({ [LINK]: 'closed', [own]: 'open' })), 'closed');
    strictEqual(workState(job, known({ [LINK]: 'open', [own]: 'merged' })), 'merged');
    strictEqual(workState(job, known({ [LINK]: 'open' })), 'open');
    strictEqual(workState({ ...job, endedAt: undefined }, known({ [LINK]: 'merged' })), undefined);
  });

  it('is asked for once a project, of jobs that are in the list and not known as merged', async () => {
    const asked: [string, string[]][] = [];
    const jobs = [
      local('a'),
      local('b'),
      local('c', { untracked: true }),
      local('d', { endedAt: undefined }),
      local('e', { home: { service: LOCAL_SERVICE, projectId: 'p2' } }),
    ];
    const states = await askLocalWork(jobs, known({ 'local:p1/b/run-b': 'merged' }), {
      reviews: (projectId, ids) => {
        asked.push([projectId, [...ids]]);
        return Promise.resolve(new Map([['a', 'closed' as const]]));
      },
    });
    deepStrictEqual(asked, [
      ['p1', ['a']],
      ['p2', ['e']],
    ]);
    deepStrictEqual([...states], [['local:p1/a/run-a', 'closed']]);
  });
});
