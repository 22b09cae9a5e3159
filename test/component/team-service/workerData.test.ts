import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createTurn, sampleJob } from '../../support/sampleTurn';
import { postgresServer } from '../../support/postgresServer';
import { message, TeamFixture } from '../../support/teamFixture';

/** What a worker keeps on its disk. */
describe('data folder of a worker', function () {
  let team: TeamFixture;
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
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.log(team.workers.map((worker) => worker.said()).join('\n'), team.journal());
    }
    await team.close();
  });

  const until = async (isTrue: () => Promise<boolean>, what: string): Promise<void> => {
    for (const start = Date.now(); !(await isTrue());) {
      assert.ok(Date.now() - start < 20_000, `it took too long: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('is used by one worker: a second one is refused until the first has ended or was killed', async () => {
    const { process: first, data, name } = await team.worker();
    const refused = () => assert.rejects(team.worker({ data }), /Another worker uses the data folder/);
    await refused();
    first.kill('SIGSTOP');
    await refused();
    assert.equal(first.exitCode, null);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = await team.worker({ data });
    assert.equal(second.name, name);
    second.process.kill('SIGTERM');
    await once(second.process, 'exit');
    await team.worker({ data });
  });

  it('keeps no clone of a repository that no project uses anymore', async () => {
    const { store } = await team.client();
    const { process: first, data } = await team.worker();
    const ended = async (job: string) => {
      await createTurn(store, sampleJob({ id: job }), message(job, 1, 0));
      await until(async () => (await store.endedAt(job)) !== undefined, `${job} ends`);
      assert.equal((await store.turns(job))[0]?.state, 'done');
    };
    const clones = () => readdir(join(data, 'repositories'));
    await ended('j1');
    const [old = ''] = await clones();
    const moved = `${team.remote}.moved`;
    await rename(team.remote, moved);
    const project = await store.project('p1');
    await store.putProject({ ...project!, folder: moved });
    first.kill('SIGTERM');
    await once(first, 'exit');
    await team.worker({ data });
    await until(async () => !(await clones()).includes(old), 'the clone is removed');
    await ended('j2');
    assert.equal((await clones()).length, 1);
  });
});
