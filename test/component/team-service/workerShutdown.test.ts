import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { SqlJobStore } from '../../../src/local-service/store/sqlJobStore';
import { metrics } from '../../../src/team-service/http/metrics';
import { WORKER_TIMINGS } from '../../../src/team-service/worker';
import { WorkerRegistry, WorkerReplaced } from '../../../src/team-service/workerRegistry';
import { createTurn, followUp, sampleJob } from '../../support/sampleTurn';
import { connect } from '../../support/storeBackends';
import { message, TeamFixture, type WorkerProcess } from '../../support/teamFixture';
import { postgresServer } from '../../support/postgresServer';
import { git } from '../../support/temporaryRepository';

/** What happens to the jobs of a worker that gets SIGTERM. */
describe('orderly shutdown of a worker', function () {
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
  const begun = (job: string, turn: number, times = 1) => {
    const starts = () =>
      team.journal().filter((each) => each.what === 'start' && each.job === job && each.turn === turn).length;
    return until(() => starts() >= times, `${job}/${turn} begins`);
  };
  const ended = (job: string) => until(async () => (await store.endedAt(job)) !== undefined, `${job} ends`);
  const stop = async ({ process: child }: WorkerProcess): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const owner = async () => (await team.administer("SELECT worker FROM jobs WHERE id = 'j1'"))[0]?.['worker'];
  const notes = async () =>
    (await store.activity('j1', 0, 1000))
      .flatMap(({ entry }) => (entry.kind === 'note' ? [entry.coded?.code] : []))
      .filter((code) => code?.startsWith('worker'));

  it('lets another worker continue its run from the pushed branch', async () => {
    const timings = { goneMs: 60_000, handOverMs: 500 };
    const first = await team.worker({ timings });
    await createTurn(store, sampleJob({ id: 'j1' }), message('j1', 1, 0));
    await ended('j1');
    await followUp(store, 'j1', message('j1', 2, 3_000));
    await begun('j1', 2);
    const second = await team.worker({ timings });
    await stop(first);
    const [, turn] = await store.turns('j1');
    assert.deepEqual([turn?.state, turn?.uncountedAttempts], ['queued', 1]);
    await ended('j1');
    assert.match(first.said(), /info: job j1, run \d+: begins, attempt 1.*info: job j1, run \d+: stopped by shutdown/s);
    // The log has it a moment after the record.
    const continued = /info: job j1, run \d+: begins, attempt 2.*info: job j1, run \d+: done/s;
    await until(() => continued.test(second.said()), 'the second worker logs the end');
    assert.equal(await owner(), second.name);
    // On a slow machine, another note may say that the second worker was cut off.
    assert.deepEqual((await notes()).slice(0, 2), ['workerStopped', 'workerGone']);
    for (const turn of [1, 2]) {
      assert.equal(await git(team.remote, 'show', `docs-agent/j1:j1-${turn}.md`), `# j1/${turn}\n`);
    }
  });

  it('lets the same worker continue its run when it is back in time', async () => {
    const timings = { goneMs: 60_000, handOverMs: 60_000 };
    const first = await team.worker({ timings });
    await createTurn(store, sampleJob({ id: 'j1' }), message('j1', 1, 1_500));
    await begun('j1', 1);
    await team.worker({ timings });
    await stop(first);
    await team.worker({ timings, data: first.data });
    await ended('j1');
    assert.equal(await owner(), first.name);
    assert.deepEqual(await notes(), ['workerStopped']);
  });

  it('removes the worker from the number of workers', async () => {
    const database = connect(team.url);
    const workers = async () => /^docs_agent_workers (\d+)$/m.exec(await metrics(database))?.[1];
    const { goneMs, handOverMs } = WORKER_TIMINGS;
    const worker = await team.worker({ timings: { goneMs, handOverMs } });
    await team.worker();
    assert.equal(await workers(), '2');
    await stop(worker);
    assert.equal(await workers(), '1');
    await database.close();
  });

  it('does not let a late heartbeat delay the handover', async () => {
    const database = connect(team.url);
    const seenAt = async () => (await database.query("SELECT seen_at FROM workers WHERE name = 'w1'"))[0]?.['seen_at'];
    const registry = new WorkerRegistry(database, 'w1', WORKER_TIMINGS);
    await registry.enter();
    await registry.seen(1);
    await registry.leave();
    const left = await seenAt();
    await assert.rejects(registry.seen(1), WorkerReplaced);
    assert.equal(await seenAt(), left);
    await database.close();
  });
});
