import assert from 'node:assert/strict';
import { USER_REASON } from '../../../src/local-service/jobs/jobStatus';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Turn } from '../../../src/local-service/store/jobStore';
import type { SqlJobStore } from '../../../src/local-service/store/sqlJobStore';
import { createTurn, followUp, sampleJob } from '../../support/sampleTurn';
import { message, TeamFixture } from '../../support/teamFixture';
import { postgresServer } from '../../support/postgresServer';
import { git } from '../../support/temporaryRepository';

/** Workers as separate processes, with a real PostgreSQL and the timings of `FAST`. */
describe('runWorker', function () {
  let team: TeamFixture;
  let store: SqlJobStore;
  before(async function () {
    const server = await postgresServer();
    const missing = typeof server === 'string' ? server : process.platform === 'linux' ? undefined : 'needs Linux';
    if (missing !== undefined) {
      console.log(`      skipped: ${missing}`);
      this.skip();
    }
  });
  beforeEach(async () => {
    team = await TeamFixture.open();
    ({ store } = await team.client());
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.log(team.workers.map((worker) => worker.said()).join('\n'), team.journal());
    }
    await team.close();
  });

  const until = async (isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> => {
    for (const start = Date.now(); !(await isTrue());) {
      assert.ok(Date.now() - start < 20_000, `it took too long: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const begun = (job: string, turn: number, times = 1) =>
    until(
      () =>
        team.journal().filter((each) => each.what === 'start' && each.job === job && each.turn === turn).length >=
        times,
      `${job}/${turn} begins`,
    );
  const ended = async (job: string): Promise<Turn[]> => {
    await until(async () => (await store.endedAt(job)) !== undefined, `${job} ends`);
    return store.turns(job);
  };
  const states = (turns: Turn[]) => turns.map(({ state }) => state);
  const create = (job: string, ms: number) => createTurn(store, sampleJob({ id: job }), message(job, 1, ms));
  const starts = () => team.journal().filter(({ what }) => what !== 'end');
  const words = async (job: string) =>
    (await store.activity(job, 0, 1000)).flatMap(({ entry }) => (entry.kind === 'note' ? [entry.coded?.code] : []));

  it('clones the project, runs the agent, and pushes its work', async () => {
    await team.worker();
    await create('j1', 0);
    const [turn] = await ended('j1');
    assert.equal(turn?.state, 'done', JSON.stringify(turn));
    assert.equal(await git(team.remote, 'show', 'docs-agent/j1:j1-1.md'), '# j1/1\n');
    assert.deepEqual((await store.job('j1'))?.changes, { files: 1, added: 1, deleted: 0 });
    await followUp(store, 'j1', message('j1', 2, 0));
    assert.deepEqual(states(await ended('j1')), ['done', 'done']);
    assert.equal(await git(team.remote, 'show', 'docs-agent/j1:j1-2.md'), '# j1/2\n');
    // The queue learns of the end a moment after the job's record.
    const open = "SELECT 1 FROM pgboss.job WHERE name = 'turns' AND state <> 'completed'";
    await until(async () => (await team.administer(open)).length === 0, 'the queue is empty');
  });

  it('starts a new job from the default branch after that was renamed', async () => {
    await team.worker();
    await create('j1', 0);
    await ended('j1');
    await git(team.remote, 'branch', '--move', 'main', 'main/v2');
    await create('j2', 0);
    assert.deepEqual(states(await ended('j2')), ['done']);
    assert.equal((await store.job('j2'))?.baseBranch, 'main/v2');
  });

  it('interrupts a turn for a follow-up, and stops one at the user’s request', async () => {
    await team.worker();
    await create('j1', 60_000);
    await begun('j1', 1);
    await followUp(store, 'j1', message('j1', 2, 0));
    assert.deepEqual(states(await ended('j1')), ['cancelled', 'done']);
    await create('j2', 60_000);
    await begun('j2', 1);
    await store.requestStop('j2', USER_REASON);
    const [turn] = await ended('j2');
    assert.deepEqual([turn?.state, turn?.reason?.code], ['cancelled', 'stoppedByUser']);
    assert.equal(
      starts().some(({ what }) => what === 'twice'),
      false,
    );
  });

  it('runs a turn a second time after its worker was killed, but not a third time', async () => {
    const first = await team.worker({ timings: { goneMs: 60_000 } });
    await create('j1', 60_000);
    await begun('j1', 1);
    first.process.kill('SIGKILL');
    const second = await team.worker({ data: first.data, timings: { goneMs: 60_000 } });
    assert.equal(second.name, first.name);
    await begun('j1', 1, 2);
    second.process.kill('SIGKILL');
    await team.worker({ data: first.data });
    const [turn] = await ended('j1');
    assert.deepEqual([turn?.state, turn?.reason?.code], ['failed', 'workersCrashed']);
    assert.deepEqual(
      starts().map(({ what }) => what),
      ['start', 'start'],
    );
  });

  it('ends the agent of a suspended worker before another worker starts one', async () => {
    const first = await team.worker();
    await create('j1', 60_000);
    await begun('j1', 1);
    first.process.kill('SIGSTOP');
    await team.worker();
    await followUp(store, 'j1', message('j1', 2, 0));
    assert.deepEqual(states(await ended('j1')), ['cancelled', 'done']);
    first.process.kill('SIGCONT');
    await create('j2', 0);
    assert.deepEqual(states(await ended('j2')), ['done']);
    assert.deepEqual(
      starts().map(({ what, job, turn }) => `${what} ${job}/${turn}`),
      ['start j1/1', 'start j1/2', 'start j2/1'],
    );
  });

  it('does not end the agent that another worker on the same machine runs for a job that it has lost', async () => {
    const first = await team.worker();
    await create('j1', 5_000);
    await begun('j1', 1);
    first.process.kill('SIGSTOP');
    await team.worker();
    await begun('j1', 1, 2);
    first.process.kill('SIGCONT');
    const [turn] = await ended('j1');
    assert.deepEqual([turn?.state, turn?.attempt], ['done', 2], JSON.stringify(turn));
  });

  it('continues from a branch that was pushed but not recorded', async () => {
    await team.worker();
    await create('j1', 0);
    await ended('j1');
    await team.administer("UPDATE jobs SET published_commit = NULL, worker = 'gone'");
    await followUp(store, 'j1', message('j1', 2, 0));
    assert.deepEqual(states(await ended('j1')), ['done', 'done']);
    for (const turn of [1, 2]) {
      assert.equal(await git(team.remote, 'show', `docs-agent/j1:j1-${turn}.md`), `# j1/${turn}\n`);
    }
  });

  // A pitfall of pg-boss: a heartbeat doesn't fail when the item was lost.
  it('ends an agent whose queue item was lost', async () => {
    await team.worker();
    await create('j1', 60_000);
    await begun('j1', 1);
    await team.administer("DELETE FROM pgboss.job WHERE name = 'turns'");
    await begun('j1', 1, 2);
    assert.equal(
      starts().some(({ what }) => what === 'twice'),
      false,
    );
  });

  it('loses no work when the database ends its connections', async () => {
    // Every fifth change ends its connection instead.
    await team.administer(`
      CREATE SEQUENCE changes;
      CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF nextval(''changes'') % 5 = 4 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW; END';
      CREATE TRIGGER interrupt BEFORE UPDATE ON turns FOR EACH ROW EXECUTE FUNCTION interrupt();
      CREATE TRIGGER interrupt BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION interrupt();
      CREATE TRIGGER interrupt BEFORE INSERT ON activity FOR EACH ROW EXECUTE FUNCTION interrupt()`);
    await create('j1', 0);
    await team.worker();
    const [turn] = await ended('j1');
    assert.deepEqual([turn?.state, turn?.attempt], ['done', 1], JSON.stringify(turn));
    assert.equal(await git(team.remote, 'show', 'docs-agent/j1:j1-1.md'), '# j1/1\n');
  });

  it('ends an agent whose claim was lost', async () => {
    await team.worker();
    const turn = await create('j1', 60_000);
    await begun('j1', 1);
    await store.finishTurn({ ...turn, attempt: 1 }, 'failed');
    await until(
      async () =>
        (await team.administer("SELECT 1 FROM pgboss.job WHERE name = 'turns' AND state <> 'completed'")).length === 0,
      'the agent ends',
    );
    await followUp(store, 'j1', message('j1', 2, 0));
    assert.deepEqual(states(await ended('j1')), ['failed', 'done']);
  });

  // A pitfall of pg-boss: an item that has failed blocks its job forever.
  it('completes the queue item of a turn that has failed', async () => {
    await team.worker({ timings: { sweepMs: 60_000 } });
    await createTurn(store, sampleJob({ id: 'j1' }), 'The agent knows no such message, and fails.');
    assert.deepEqual(states(await ended('j1')), ['failed']);
    await until(
      async () =>
        (await team.administer("SELECT 1 FROM pgboss.job WHERE name = 'turns' AND state = 'completed'")).length > 0,
      'the item is completed',
    );
    await followUp(store, 'j1', message('j1', 2, 0));
    assert.deepEqual(states(await ended('j1')), ['failed', 'done']);
  });

  it('leaves a job to the worker that has its session, until that worker is gone', async () => {
    const [first, second] = [await team.worker(), await team.worker()];
    await create('j1', 0);
    await ended('j1');
    const owner = async () => (await team.administer("SELECT worker FROM jobs WHERE id = 'j1'"))[0]?.['worker'];
    const [has, other] = (await owner()) === first.name ? [first, second] : [second, first];
    for (const turn of [2, 3, 4]) {
      await followUp(store, 'j1', message('j1', turn, 0));
      await ended('j1');
      assert.equal(await owner(), has.name);
    }
    has.process.kill('SIGKILL');
    await followUp(store, 'j1', message('j1', 5, 0));
    assert.deepEqual(states(await ended('j1')), ['done', 'done', 'done', 'done', 'done']);
    assert.equal(await owner(), other.name);
    assert.deepEqual(
      (await words('j1')).filter((code) => code !== 'pushedToFolder'),
      ['workerGone'],
    );
    // It continued from what the first worker had pushed.
    for (const turn of [1, 2, 3, 4, 5]) {
      assert.equal(await git(team.remote, 'show', `docs-agent/j1:j1-${turn}.md`), `# j1/${turn}\n`);
    }
  });

  it('removes the folder of a job that ended long ago, and continues from its branch', async () => {
    const { process: child, data } = await team.worker();
    await create('j1', 0);
    await ended('j1');
    const folder = join(data, 'jobs', 'j1');
    assert.equal(existsSync(folder), true);
    child.kill('SIGTERM');
    await once(child, 'exit');
    await team.worker({ data, keepDays: 0 });
    await until(() => !existsSync(folder), 'the folder is removed');
    await followUp(store, 'j1', message('j1', 2, 0));
    assert.deepEqual(states(await ended('j1')), ['done', 'done']);
    for (const turn of [1, 2]) {
      assert.equal(await git(team.remote, 'show', `docs-agent/j1:j1-${turn}.md`), `# j1/${turn}\n`);
    }
  });

  describe('when a branch could not be pushed', () => {
    /** Runs a job whose branch the repository doesn't accept, because of another branch, until that is gone. */
    const failToPush = async (): Promise<{ data: string; folder: string; stop: () => Promise<void> }> => {
      await git(team.remote, 'branch', 'docs-agent');
      const { process: child, data } = await team.worker();
      await create('j1', 0);
      assert.deepEqual(states(await ended('j1')), ['failed']);
      assert.notEqual((await store.job('j1'))?.publishedCommit, null);
      await git(team.remote, 'branch', '-D', 'docs-agent');
      const stop = async (): Promise<void> => {
        child.kill('SIGTERM');
        await once(child, 'exit');
      };
      return { data, folder: join(data, 'jobs', 'j1'), stop };
    };

    it('keeps the folder of the job', async () => {
      const { data, folder, stop } = await failToPush();
      await stop();
      // A worker removes this after the folders of jobs.
      const last = join(data, 'repositories', 'unused');
      await mkdir(last);
      await team.worker({ data, keepDays: 0 });
      await until(() => !existsSync(last), 'old folders are removed');
      assert.equal(existsSync(folder), true);
    });

    it('goes on from its commit when the folder is gone, and pushes both', async () => {
      const { folder } = await failToPush();
      await rm(folder, { recursive: true });
      await followUp(store, 'j1', message('j1', 2, 0));
      assert.deepEqual(states(await ended('j1')), ['failed', 'done']);
      for (const turn of [1, 2]) {
        assert.equal(await git(team.remote, 'show', `docs-agent/j1:j1-${turn}.md`), `# j1/${turn}\n`);
      }
    });
  });

  it('removes the folder of a job that another worker has taken over', async () => {
    const first = await team.worker();
    await create('j1', 0);
    await ended('j1');
    first.process.kill('SIGKILL');
    await team.worker();
    await followUp(store, 'j1', message('j1', 2, 0));
    await ended('j1');
    await team.worker({ data: first.data });
    await until(() => !existsSync(join(first.data, 'jobs', 'j1')), 'the folder is removed');
  });

  it('waits for the end of a turn that it has lost before it works in the same folder', async () => {
    const { data } = await team.worker();
    await create('j1', 60_000);
    await begun('j1', 1);
    await team.administer("UPDATE pgboss.job SET state = 'cancelled' WHERE name = 'turns' AND state = 'active'");
    await followUp(store, 'j1', message('j1', 2, 0));
    assert.deepEqual(states(await ended('j1')), ['cancelled', 'done']);
    assert.deepEqual(
      starts().map(({ what, turn }) => `${what} ${turn}`),
      ['start 1', 'start 2'],
    );
    assert.equal(existsSync(join(data, 'jobs', 'j1')), true);
  });

  it('queues a turn that is missing from the queue', async () => {
    await create('j1', 0);
    await team.administer("DELETE FROM pgboss.job WHERE name = 'turns'");
    await team.worker();
    assert.deepEqual(states(await ended('j1')), ['done']);
  });
});
