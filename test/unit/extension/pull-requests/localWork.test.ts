import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { WantedJobs } from '../../../../src/extension/platform/localReviews';
import { queryLocalReviews, getLocalWorkKey, workState } from '../../../../src/extension/platform/localWork';
import type { PullRequestState } from '../../../../src/extension/platform/pullRequestStates';
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

const fail = (error: unknown): void => {
  throw error;
};

describe('state of a local job’s work', () => {
  const known = (states: Record<string, PullRequestState>) => ({ get: (name: string) => states[name] });

  it('is known only for its current run', () => {
    const job = local('a');
    strictEqual(workState(job, known({ [getLocalWorkKey(job) ?? '']: 'merged' })), 'merged');
    strictEqual(workState({ ...job, run: 'next' }, known({ [getLocalWorkKey(job) ?? '']: 'merged' })), undefined);
    strictEqual(getLocalWorkKey({ ...job, endedAt: undefined }), undefined);
    strictEqual(getLocalWorkKey({ ...job, home: { service: 'https://api.example', projectId: 'p1' } }), undefined);
  });

  it('is the Git host’s state once the pull request is merged or closed', () => {
    const job = local('a', {}, LINK);
    const own = getLocalWorkKey(job) ?? '';
    strictEqual(workState(job, known({ [LINK]: 'closed', [own]: 'open' })), 'closed');
    strictEqual(workState(job, known({ [LINK]: 'open', [own]: 'merged' })), 'merged');
    strictEqual(workState(job, known({ [LINK]: 'open' })), 'open');
    strictEqual(workState({ ...job, endedAt: undefined }, known({ [LINK]: 'merged' })), undefined);
  });

  it('is requested once per project, only for listed jobs that are not known to be merged', async () => {
    const asked: [string, string[]][] = [];
    const jobs = [
      local('a'),
      local('b'),
      local('c', { untracked: true }),
      local('d', { endedAt: undefined }),
      local('e', { home: { service: LOCAL_SERVICE, projectId: 'p2' } }),
    ];
    const reviews = (projectId: string, { ids }: WantedJobs): Promise<Map<string, 'closed'>> => {
      asked.push([projectId, [...ids]]);
      return Promise.resolve(new Map([['a', 'closed' as const]]));
    };
    const pulls = known({ 'local:p1/b/run-b': 'merged' });
    const states = await queryLocalReviews(jobs, pulls, { reviews }, fail);
    deepStrictEqual(asked, [
      ['p1', ['a']],
      ['p2', ['e']],
    ]);
    deepStrictEqual([...states], [['local:p1/a/run-a', 'closed']]);
  });

  it('is known for other projects when the service does not know one of them', async () => {
    const home = { service: LOCAL_SERVICE, projectId: 'gone' };
    const failures: unknown[] = [];
    const reviews = (projectId: string): Promise<Map<string, 'merged'>> =>
      projectId === 'gone'
        ? Promise.reject(new Error('no such project'))
        : Promise.resolve(new Map([['b', 'merged' as const]]));
    const states = await queryLocalReviews([local('a', { home }), local('b')], known({}), { reviews }, (error) =>
      failures.push(error),
    );
    deepStrictEqual([[...states], failures.length], [[['local:p1/b/run-b', 'merged']], 1]);
  });

  it('is requested back to the oldest job, if the age of every job is known', async () => {
    const aged = (id: string, createdAt: string | null): TrackedJob => {
      const job = local(id);
      return { ...job, snapshot: snapshot('completed', { id, createdAt }) };
    };
    const since: number[] = [];
    const reviews = (_: string, wanted: WantedJobs): Promise<Map<string, 'open'>> => {
      since.push(wanted.since);
      return Promise.resolve(new Map<string, 'open'>());
    };
    const [old, young] = [aged('a', '2026-01-01T00:00:00.000Z'), aged('b', '2026-01-02T00:00:00.000Z')];
    await queryLocalReviews([young, old], known({}), { reviews }, fail);
    await queryLocalReviews([young, old, aged('c', null)], known({}), { reviews }, fail);
    deepStrictEqual(since, [Date.UTC(2026, 0, 1), -Infinity]);
  });
});
