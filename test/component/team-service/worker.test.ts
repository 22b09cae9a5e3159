import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { USER_REASON } from '../../../src/local-service/jobs/jobStatus';
import { UsageError } from '../../../src/local-service/options';
import type { Turn } from '../../../src/local-service/store/jobStore';
import { openWorkerFolder } from '../../../src/team-service/workerFolder';
import { createTurn, followUp, sampleJob } from '../../support/sampleTurn';
import { message, useTeam } from '../../support/teamFixture';
import { git, temporaryFolder } from '../../support/temporaryRepository';

/** Workers as separate processes, with a real PostgreSQL and the timings of `FAST`. */
describe('runWorker', () => {
  const used = useTeam();

  const until = async (isTrue: () => boolean | Promise<boolean>, what: string): Promise<void> => {
    for (const start = Date.now(); !(await isTrue());) {
      assert.ok(Date.now() - start < 20_000, `it took too long: ${what}`);
      await delay(50);
    }
  };
  const create = (job: string, ms: number) => createTurn(used.store, sampleJob({ id: job }), message(job, 1, ms));
  const send = (job: string, turn: number, ms = 0) => followUp(used.store, job, message(job, turn, ms));
  /** What agents have begun, such as `start j1/1`, or `twice j1/1` if another agent of the job was running. */
  const starts = () =>
    used.team
      .journal()
      .filter(({ what }) => what !== 'end')
      .map(({ what, job, turn }) => `${what} ${job}/${turn}`);
  const begun = (name: string, times = 1) =>
    until(() => starts().filter((each) => each === `start ${name}`).length >= times, `${name} begins`);
  const ended = async (job: string): Promise<Turn[]> => {
    await until(async () => (await used.store.endedAt(job)) !== undefined, `${job} ends`);
    return used.store.turns(job);
  };
  const states = (turns: Turn[]) => turns.map(({ state }) => state);
  const ends = async (job: string) => states(await ended(job));
  const isPushed = async (job: string, ...turns: number[]): Promise<void> => {
    for (const turn of turns) {
      assert.equal(await git(used.team.remote, 'show', `docs-agent/${job}:${job}-${turn}.md`), `# ${job}/${turn}\n`);
    }
  };
  const owner = async () => (await used.team.administer("SELECT worker FROM jobs WHERE id = 'j1'"))[0]?.['worker'];
  /** The notes of workers in the activity log. */
  const notes = async (job: string) =>
    (await used.store.activity(job, 0, 1000))
      .flatMap(({ entry }) => (entry.kind === 'note' ? [entry.coded?.code] : []))
      .filter((code) => code?.startsWith('worker'));
  /** The queue learns of the end a moment after the job's record. */
  const queueIsEmpty = () => {
    const open = "SELECT 1 FROM pgboss.job WHERE name = 'turns' AND state <> 'completed'";
    return until(async () => (await used.team.administer(open)).length === 0, 'the queue is empty');
  };

  it('clones the project, runs the agent, and pushes its work', async () => {
    await used.team.worker();
    const [{ id }] = [await create('j1', 0)];
    const [turn] = await ended('j1');
    assert.deepEqual([turn?.id, turn?.state], [id, 'done'], JSON.stringify(turn));
    assert.deepEqual((await used.store.job('j1'))?.changes, { files: 1, added: 1, deleted: 0 });
    await send('j1', 2);
    assert.deepEqual(await ends('j1'), ['done', 'done']);
    await isPushed('j1', 1, 2);
    await queueIsEmpty();
    // A new job begins at the default branch, which may have another name now.
    await git(used.team.remote, 'branch', '--move', 'main', 'main/v2');
    await create('j2', 0);
    assert.deepEqual(await ends('j2'), ['done']);
    assert.equal((await used.store.job('j2'))?.baseBranch, 'main/v2');
  });

  it('interrupts a turn for a follow-up, and stops one at the user’s request', async () => {
    await used.team.worker();
    await create('j1', 60_000);
    await begun('j1/1');
    await send('j1', 2);
    assert.deepEqual(await ends('j1'), ['cancelled', 'done']);
    await create('j2', 60_000);
    await begun('j2/1');
    await used.store.requestStop('j2', USER_REASON);
    const [turn] = await ended('j2');
    assert.deepEqual([turn?.state, turn?.reason], ['cancelled', USER_REASON]);
    assert.deepEqual(starts(), ['start j1/1', 'start j1/2', 'start j2/1']);
  });

  it('runs a turn a second time after its worker was killed, but not a third time', async () => {
    const timings = { goneMs: 60_000 };
    const first = await used.team.worker({ timings });
    await create('j1', 60_000);
    await begun('j1/1');
    first.process.kill('SIGKILL');
    const second = await used.team.worker({ data: first.data, timings });
    assert.equal(second.name, first.name);
    await begun('j1/1', 2);
    second.process.kill('SIGKILL');
    const third = await used.team.worker({ data: first.data });
    const [turn] = await ended('j1');
    assert.deepEqual([turn?.state, turn?.reason?.code], ['failed', 'workersCrashed']);
    const isLogged = () => /info: job j1, run \d+: .*crash/.test(third.said());
    await until(isLogged, 'the third worker logs the end');
    assert.deepEqual(starts(), ['start j1/1', 'start j1/1']);
  });

  it('ends the agent of a suspended worker before another one starts, which goes on when that worker is back', async () => {
    const first = await used.team.worker();
    await create('j1', 8_000);
    await begun('j1/1');
    first.process.kill('SIGSTOP');
    await used.team.worker();
    await begun('j1/1', 2);
    first.process.kill('SIGCONT');
    const [turn] = await ended('j1');
    assert.deepEqual([turn?.state, turn?.attempt], ['done', 2], JSON.stringify(turn));
    assert.deepEqual(starts(), ['start j1/1', 'start j1/1']);
  });

  it('continues from a branch that was pushed but not recorded', async () => {
    await used.team.worker();
    await create('j1', 0);
    await ended('j1');
    await used.team.administer("UPDATE jobs SET published_commit = NULL, worker = 'gone'");
    await send('j1', 2);
    assert.deepEqual(await ends('j1'), ['done', 'done']);
    await isPushed('j1', 1, 2);
  });

  // A pitfall of pg-boss: a heartbeat doesn't fail when the item was lost, and cancelling it frees the job at once.
  it('ends an agent whose queue item was lost before it works in the same folder again', async () => {
    const { data } = await used.team.worker();
    await create('j1', 60_000);
    await begun('j1/1');
    await used.team.administer("UPDATE pgboss.job SET state = 'cancelled' WHERE name = 'turns' AND state = 'active'");
    await send('j1', 2);
    assert.deepEqual(await ends('j1'), ['cancelled', 'done']);
    assert.deepEqual(starts(), ['start j1/1', 'start j1/2']);
    assert.equal(existsSync(join(data, 'jobs', 'j1')), true);
  });

  it('runs a turn again when its agent’s usage limit has reset, unless a follow-up replaces it', async () => {
    const first = await used.team.worker();
    const limited = (job: string, seconds: number) =>
      createTurn(used.store, sampleJob({ id: job }), `[limit ${seconds}]\n${message(job, 1, 0)}`);
    const isHeld = async (job: string) => {
      const [turn] = await used.store.turns(job);
      return turn?.state === 'queued' && turn.resumesAt !== null;
    };
    await limited('j1', 3);
    await limited('j2', 3_600);
    await until(async () => (await isHeld('j1')) && (await isHeld('j2')), 'both are on hold');
    await used.team.stop(first);
    await used.team.worker({ data: first.data });
    const [turn] = await ended('j1');
    assert.deepEqual([turn?.state, turn?.attempt], ['done', 2], JSON.stringify(turn));
    assert.ok((turn?.startedAt ?? 0) >= (turn?.resumesAt ?? 0));
    assert.equal(await isHeld('j2'), true);
    await send('j2', 2);
    assert.deepEqual(await ends('j2'), ['cancelled', 'done']);
  });

  it('ends an agent whose claim was lost', async () => {
    await used.team.worker();
    const turn = await create('j1', 60_000);
    await begun('j1/1');
    await used.store.finishTurn({ ...turn, attempt: 1 }, 'failed');
    await queueIsEmpty();
    await send('j1', 2);
    assert.deepEqual(await ends('j1'), ['failed', 'done']);
  });

  // A pitfall of pg-boss: an item that has failed blocks its job forever.
  it('completes the queue item of a turn that has failed', async () => {
    await used.team.worker();
    await createTurn(used.store, sampleJob({ id: 'j1' }), 'The agent knows no such message, and fails.');
    assert.deepEqual(await ends('j1'), ['failed']);
    await queueIsEmpty();
    await send('j1', 2);
    assert.deepEqual(await ends('j1'), ['failed', 'done']);
  });

  for (const { what, fault } of [
    { what: 'the database ends its connections', fault: 'PERFORM pg_terminate_backend(pg_backend_pid())' },
    { what: 'a standby isn’t the primary yet', fault: "RAISE SQLSTATE '25006'" },
  ]) {
    it(`loses no work when ${what}`, async () => {
      // Every fifth change fails instead.
      await used.team.administer(`
        CREATE SEQUENCE changes;
        CREATE FUNCTION interrupt() RETURNS trigger LANGUAGE plpgsql AS
          $$BEGIN IF nextval('changes') % 5 = 4 THEN ${fault}; END IF; RETURN NEW; END$$;
        CREATE TRIGGER interrupt BEFORE UPDATE ON turns FOR EACH ROW EXECUTE FUNCTION interrupt();
        CREATE TRIGGER interrupt BEFORE UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION interrupt();
        CREATE TRIGGER interrupt BEFORE INSERT ON activity FOR EACH ROW EXECUTE FUNCTION interrupt()`);
      await create('j1', 0);
      await used.team.worker();
      const [turn] = await ended('j1');
      assert.deepEqual([turn?.state, turn?.attempt], ['done', 1], JSON.stringify(turn));
      await isPushed('j1', 1);
    });
  }

  it('leaves a job to the worker that has its session, until that worker is gone', async () => {
    const [first, second] = [await used.team.worker(), await used.team.worker()];
    await create('j1', 0);
    await ended('j1');
    const [has, other] = (await owner()) === first.name ? [first, second] : [second, first];
    for (const turn of [2, 3, 4]) {
      await send('j1', turn);
      await ended('j1');
      assert.equal(await owner(), has.name);
    }
    has.process.kill('SIGKILL');
    await send('j1', 5);
    assert.deepEqual(await ends('j1'), ['done', 'done', 'done', 'done', 'done']);
    assert.equal(await owner(), other.name);
    assert.deepEqual(await notes('j1'), ['workerGone']);
    // It continued from what the first worker had pushed.
    await isPushed('j1', 1, 2, 3, 4, 5);
    await used.team.worker({ data: has.data });
    await until(() => !existsSync(join(has.data, 'jobs', 'j1')), 'the folder of the job is removed');
  });

  it('removes the folders of jobs that ended long ago, except those with work that could not be pushed', async () => {
    // The repository doesn't accept the branch of `j1` because of this one.
    await git(used.team.remote, 'branch', 'docs-agent/j1/x');
    const first = await used.team.worker();
    const { data } = first;
    await Promise.all([create('j1', 0), create('j2', 0)]);
    assert.deepEqual([await ends('j1'), await ends('j2')], [['failed'], ['done']]);
    assert.notEqual((await used.store.job('j1'))?.publishedCommit, null);
    await git(used.team.remote, 'branch', '-D', 'docs-agent/j1/x');
    await used.team.stop(first);
    await used.team.worker({ data, keepDays: 0 });
    const folderOf = (job: string) => join(data, 'jobs', job);
    await until(() => !existsSync(folderOf('j2')), 'a folder is removed');
    await delay(300);
    assert.equal(existsSync(folderOf('j1')), true);
    // The worker's clone of the repository has the commits of both.
    await rm(folderOf('j1'), { recursive: true });
    await Promise.all([send('j1', 2), send('j2', 2)]);
    assert.deepEqual(
      [await ends('j1'), await ends('j2')],
      [
        ['failed', 'done'],
        ['done', 'done'],
      ],
    );
    await isPushed('j1', 1, 2);
    await isPushed('j2', 1, 2);
  });

  describe('at SIGTERM', () => {
    it('lets another worker continue its run from the pushed branch', async () => {
      const timings = { goneMs: 60_000, handOverMs: 500 };
      const first = await used.team.worker({ timings });
      await create('j1', 0);
      await ended('j1');
      await send('j1', 2, 3_000);
      await begun('j1/2');
      const second = await used.team.worker({ timings });
      await used.team.stop(first);
      const [, turn] = await used.store.turns('j1');
      assert.deepEqual([turn?.state, turn?.uncountedAttempts], ['queued', 1]);
      await ended('j1');
      assert.match(first.said(), /info: job j1, run \d+: begins, attempt 1.*job j1, run \d+: stopped by shutdown/s);
      // The log has it a moment after the record.
      const continued = /info: job j1, run \d+: begins, attempt 2.*info: job j1, run \d+: done/s;
      await until(() => continued.test(second.said()), 'the second worker logs the end');
      assert.equal(await owner(), second.name);
      // On a slow machine, another note may say that the second worker was cut off.
      assert.deepEqual((await notes('j1')).slice(0, 2), ['workerStopped', 'workerGone']);
      await isPushed('j1', 1, 2);
    });

    it('lets the same worker continue its run when it is back in time', async () => {
      const timings = { goneMs: 60_000, handOverMs: 60_000 };
      const first = await used.team.worker({ timings });
      await create('j1', 1_500);
      await begun('j1/1');
      await used.team.worker({ timings });
      await used.team.stop(first);
      await used.team.worker({ timings, data: first.data });
      await ended('j1');
      assert.equal(await owner(), first.name);
      assert.deepEqual(await notes('j1'), ['workerStopped']);
    });
  });
});

describe('data folder of a worker', () => {
  it('is used by one worker at a time, and keeps its name', async () => {
    const data = join(await temporaryFolder(), 'worker');
    const first = await openWorkerFolder(data);
    await assert.rejects(openWorkerFolder(data), { exitCode: 3, message: /Another worker uses the data folder/ });
    first.unlock();
    const second = await openWorkerFolder(data);
    assert.equal(second.name, first.name);
    second.unlock();
  });

  it('belongs to the user that the worker has to run as', async () => {
    const data = await temporaryFolder();
    await chmod(data, 0o500);
    const me = process.geteuid?.();
    if (me === 0) {
      // Root may write anywhere.
      process.seteuid?.(65_534);
    }
    try {
      const message = /^Couldn’t use the data folder “.*” \(EACCES.* as the user that owns the folder\.$/;
      await assert.rejects(openWorkerFolder(data), { constructor: UsageError, message });
    } finally {
      if (me === 0) {
        process.seteuid?.(0);
      }
      await chmod(data, 0o700);
    }
  });
});
