import assert from 'node:assert/strict';
import type { JobOperations } from '../../../src/local-service/jobs/jobOperations';
import type { ActivityLogStore, JobStore } from '../../../src/local-service/store/jobStore';
import { createTeamApp } from '../../../src/team-service/http/teamApp';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Projects `p1`, `p2`, …, whose jobs are `p1-1` and so on. Their activity logs stay empty. */
const store: Partial<JobStore & ActivityLogStore> = {
  project: async (id) => ({ id, name: id, folder: '', settings: {} }) as never,
  jobWithTurns: async (id) => ({ id, projectId: id.split('-')[0], turns: [] }) as never,
  activity: async () => [],
  onActivity: () => ({ dispose: () => undefined }),
};

describe('the log that anyone can make the service for a team write', () => {
  const down = async () => Promise.reject(new Error('the database is down'));
  const busy = async () => Promise.reject(Object.assign(new Error('too many connections'), { code: '53300' }));
  for (const { what, path, status, checkReady = async () => undefined, find = () => undefined } of [
    { what: 'a wrong key', path: '/v2/agent/p1/jobs', status: 401 },
    { what: 'a key that can’t be checked', path: '/v2/agent/p1/jobs', status: 503, find: busy },
    { what: 'that it isn’t ready', path: '/readyz', status: 503, checkReady: down },
  ]) {
    it(`has at most one line per minute: ${what}`, async () => {
      const lines: string[] = [];
      let now = 0;
      const app = createTeamApp({
        ...{ keys: { find }, store: store as JobStore & ActivityLogStore, jobs: {} as JobOperations },
        ...{ checkReady, metrics: async () => '', ending: new AbortController().signal },
        log: { ...log, warn: (line) => lines.push(line) },
        clock: { monotonic: () => now },
      });
      for (const at of [0, 1_000, 59_999, 60_000]) {
        now = at;
        assert.equal((await app.request(path)).status, status);
      }
      assert.deepEqual(
        lines.map((line) => /: (\d+)$/.exec(line)?.[1]),
        ['1', '3'],
      );
    });
  }
});

describe('readers of activity logs in the service for a team', () => {
  const ending = new AbortController();
  const app = createTeamApp({
    keys: { find: () => ({ opens: () => true, isServiceWide: false, mayWrite: false }) },
    store: store as JobStore & ActivityLogStore,
    jobs: {} as JobOperations,
    checkReady: async () => undefined,
    metrics: async () => '',
    log,
    ending: ending.signal,
  });
  const follow = (project: string, job: number) => app.request(`/v2/agent/${project}/job/${project}-${job}/events`);
  /** Follows as many jobs of a project as the service allows. */
  const followAll = async (project: string): Promise<Response[]> => {
    const accepted: Response[] = [];
    for (let job = 1; job <= 250; job++) {
      const answer = await follow(project, job);
      if (answer.status !== 200) {
        assert.equal(answer.status, 503);
        assert.ok(Number(answer.headers.get('Retry-After')) > 0);
        break;
      }
      accepted.push(answer);
    }
    return accepted;
  };
  after(() => ending.abort());

  it('leave room for other projects, however many a project has', async () => {
    const first = await followAll('p1');
    assert.equal(first.length, 100);
    assert.equal((await followAll('p2')).length, 50);
    assert.equal((await follow('p3', 1)).status, 200);
    // Places become free again.
    assert.equal((await follow('p1', 101)).status, 503);
    for (const { body } of first) {
      await body?.cancel();
    }
    assert.equal((await follow('p1', 101)).status, 200);
  });
});
