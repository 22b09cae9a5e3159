import assert from 'node:assert/strict';
import { ServiceError } from '../../src/protocol/errors';
import { type ContractBench, contractBench } from './contractBench';

/** Applies to every service that implements this API. */
describe('agent job API, through the client', function () {
  let bench: ContractBench;
  before(async () => (bench = await contractBench()));
  after(() => bench.close());

  const refusedAs = async (work: Promise<unknown>, kind: string, status: number): Promise<void> => {
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof ServiceError);
      assert.deepEqual({ kind: error.kind, status: error.status }, { kind, status });
      return true;
    });
  };

  it('creates a job that is active, then completed with a pull request link', async () => {
    const job = await bench.client.createJob(bench.target, 'Document the retry policy');
    assert.equal(job.status, 'active');
    assert.equal(job.prLink ?? null, null);
    assert.ok(Math.abs(Date.parse(job.createdAt ?? '') - Date.now()) < 60_000);
    const done = await bench.ended(job.id);
    assert.equal(done.status, 'completed');
    assert.match(done.prLink ?? '', /^https?:\/\//);
    assert.ok(done.source?.repository);
    assert.equal(done.archivedAt ?? null, null);
  });

  it('continues after a follow-up, with the same job and the same link', async () => {
    const { id } = await bench.client.createJob(bench.target, 'Document the back-off');
    const first = await bench.ended(id);
    const answer = await bench.client.sendMessage(bench.target, id, 'Say how to switch it off in docs/back-off.md');
    assert.deepEqual([answer.id, answer.status], [id, 'active']);
    const second = await bench.ended(id);
    assert.equal(second.status, 'completed');
    assert.equal(second.prLink, first.prLink);
  });

  it('answers 401 to a wrong key', () =>
    refusedAs(
      bench.client.createJob({ ...bench.target, apiKey: `local_${'0'.repeat(64)}` }, 'Hello'),
      'unauthorized',
      401,
    ));

  it('answers 404 for an unknown job', async () => {
    await refusedAs(bench.client.retrieveJob(bench.target, 'nosuchjob'), 'notFound', 404);
    await refusedAs(bench.client.sendMessage(bench.target, 'nosuchjob', 'Hello'), 'notFound', 404);
  });

  it('answers 400 to an empty prompt', () => refusedAs(bench.client.createJob(bench.target, ''), 'rejected', 400));

  describe('with the scripted agent', () => {
    before(function () {
      if (bench.service === undefined) {
        this.skip();
      }
    });

    it('completes without a link or a branch when nothing changed', async () => {
      const { id } = await bench.client.createJob(bench.target, 'Look round [scripted: change nothing]');
      const done = await bench.ended(id);
      assert.deepEqual([done.status, done.prLink, done.source?.ref], ['completed', null, null]);
    });

    it('names a branch once it exists, and keeps it when a later turn fails', async () => {
      const { id, source } = await bench.client.createJob(bench.target, '[scripted: fail]');
      const branches = [source?.ref, (await bench.ended(id)).source?.ref];
      for (const prompt of ['Document the limits', 'Go on [scripted: fail]']) {
        await bench.client.sendMessage(bench.target, id, prompt);
        branches.push((await bench.ended(id)).source?.ref);
      }
      const name = `docs-agent/scripted-fail-${id.slice(0, 4)}`;
      assert.deepEqual(branches, [null, null, name, name]);
    });

    it('fails with the reason when the agent fails, and continues after a follow-up', async () => {
      const { id } = await bench.client.createJob(bench.target, '[scripted: fail]');
      const failed = await bench.ended(id);
      assert.equal(failed.status, 'failed');
      assert.equal(failed['error'], 'The scripted agent was told to fail. The agent failed with exit code 1.');
      await bench.client.sendMessage(bench.target, id, 'Document the limits');
      const done = await bench.ended(id);
      assert.equal(done.status, 'completed');
      assert.equal(done['error'], undefined);
    });

    it('accepts a prompt with any characters unchanged', async () => {
      const prompt = `Document “quotes” 🗼 \`\`\`ticks\`\`\` $(id) \`id\` ; --help\n\nSecond paragraph\u0007\u0000`;
      const { id } = await bench.client.createJob(bench.target, prompt);
      assert.equal((await bench.ended(id)).status, 'completed');
    });

    it('answers 403 to a key of another project, 404 for an unknown project, 413 to a prompt that is too long', async () => {
      const otherKey = bench.service?.otherKey ?? '';
      await refusedAs(bench.client.createJob({ ...bench.target, apiKey: otherKey }, 'Hello'), 'forbidden', 403);
      await refusedAs(bench.client.createJob({ ...bench.target, projectId: 'unknown' }, 'Hello'), 'notFound', 404);
      await refusedAs(bench.client.createJob(bench.target, 'x'.repeat(1024 * 1024)), 'rejected', 413);
    });
  });
});
