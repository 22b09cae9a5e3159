import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalServiceClient } from '../../src/client/localServiceClient';
import { Transport } from '../../src/client/transport';
import { ServiceError } from '../../src/protocol/errors';
import { testNode } from '../support/serviceProcess';
import { git, jobBranch, sampleRepository, temporaryFolder } from '../support/temporaryRepository';
import { type LocalBench, localBench, localCalls, projectAt, waitUntil } from './contractBench';

/** Changes one page, adds two, and then does what the prompt says. */
const AGENT = `
  const { appendFileSync, readFileSync, writeFileSync, mkdirSync } = require('node:fs');
  const message = readFileSync(0, 'utf8').split('--- New message ---').at(-1);
  if (!message.includes('NOTHING')) {
    appendFileSync('README.md', 'HALF A SENTENCE THAT\\n');
    writeFileSync('docs/new.md', 'new\\n');
  }
  if (message.includes('CI')) {
    mkdirSync('.github/workflows', { recursive: true });
    writeFileSync('.github/workflows/docs.yml', 'run: env\\n');
  }
  if (message.includes('NEST')) {
    mkdirSync('nested/.git', { recursive: true });
  }
  if (message.includes('FAIL')) {
    process.exit(1);
  }
  if (message.includes('HANG')) {
    writeFileSync('docs/hangs.md', 'hangs\\n');
    setInterval(() => {}, 1000);
  }`;

describe('local service, work of an ended run that is in no branch', function () {
  const transport = new Transport();
  const client = new LocalServiceClient(transport);
  let service: LocalBench;
  let bench: LocalBench;
  before(async () => (service = await localBench()));
  after(async () => {
    await transport.dispose();
    await service.close();
  });
  beforeEach(async () => (bench = await projectAt(service, { agentCommand: [testNode(), '-e', AGENT] })));

  const run = async (prompt: string): Promise<string> => {
    const { id } = await bench.client.createJob(bench.target, prompt);
    await bench.ended(id);
    return id;
  };
  const work = (id: string) => join(service.service.data, 'jobs', id, 'work');
  const job = (id: string) => bench.client.retrieveJob(bench.target, id);
  const unsaved = async (id: string) => ((await job(id)).surroundings as { unsaved?: object } | undefined)?.unsaved;
  const decide = (id: string, decision: 'keep' | 'discard') =>
    client.decideUnsaved(bench.target, bench.target.projectId, id, decision);
  const refused = (id: string, decision: 'keep' | 'discard', code: string) =>
    assert.rejects(decide(id, decision), (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.deepEqual([error.status, error.coded?.code], [409, code]);
      return true;
    });

  it('is kept in the repository when the linked worktree of the project is gone', async () => {
    const main = await sampleRepository();
    const linked = join(await temporaryFolder(), 'linked');
    await git(main, 'worktree', 'add', '--quiet', linked);
    bench = await projectAt(service, { repo: linked, agentCommand: [testNode(), '-e', AGENT] });
    const id = await run('Rewrite the page. FAIL');
    await git(main, 'worktree', 'remove', '--force', linked);
    await decide(id, 'keep');
    assert.match(await git(main, 'show', `${await jobBranch(main, id)}:README.md`), /HALF A SENTENCE THAT/);
  });

  it('is counted, and kept as a branch', async () => {
    const id = await run('Rewrite the page. FAIL');
    assert.deepEqual(await unsaved(id), { files: 2, added: 2, deleted: 0 });
    assert.equal((await client.changes(bench.target, bench.target.projectId, id)).files.length, 0);
    await decide(id, 'keep');
    const branch = await jobBranch(bench.repo, id);
    assert.match(await git(bench.repo, 'show', `${branch}:README.md`), /HALF A SENTENCE THAT/);
    assert.match(await git(bench.repo, 'log', '-1', '--format=%s', branch), /^Rewrite the page/);
    const { status, source, changes } = await job(id);
    assert.deepEqual([status, source?.ref, changes], ['failed', branch, { files: 2, added: 2, deleted: 0 }]);
    assert.equal(await unsaved(id), undefined);
    await refused(id, 'keep', 'nothingUnsaved');
    await refused(id, 'discard', 'nothingUnsaved');
  });

  it('of a stopped run is discarded, and can’t be while the agent works', async () => {
    const { id } = await bench.client.createJob(bench.target, 'HANG');
    await waitUntil(() => existsSync(join(work(id), 'docs/hangs.md')));
    await refused(id, 'keep', 'agentAtWork');
    await refused(id, 'discard', 'agentAtWork');
    await localCalls(bench).cancel(id);
    assert.deepEqual(await unsaved(id), { files: 3, added: 3, deleted: 0 });
    await decide(id, 'discard');
    assert.equal(await unsaved(id), undefined);
    assert.ok(!existsSync(join(work(id), 'docs/new.md')));
    await bench.client.sendMessage(bench.target, id, 'NOTHING');
    assert.equal((await bench.ended(id)).changes, undefined);
  });

  it('of a run that was killed twice with the service is counted at the next start', async () => {
    const [agentCommand, data] = [[testNode(), '-e', AGENT], await temporaryFolder()];
    const first = await localBench({ agentCommand, data });
    const { id } = await first.client.createJob(first.target, 'HANG');
    const hangs = join(data, 'jobs', id, 'work/docs/hangs.md');
    const { repo, target } = first;
    let [other, found]: [LocalBench, object | undefined] = [first, undefined];
    for (let kills = 0; kills < 2; kills++) {
      await waitUntil(() => existsSync(hangs));
      await other.service.kill();
      await rm(hangs);
      other = await localBench({ agentCommand, data, repo, key: target.apiKey });
    }
    await waitUntil(async () => {
      const { surroundings } = await other.client.retrieveJob(other.target, id);
      found = (surroundings as { unsaved?: object } | undefined)?.unsaved;
      return found !== undefined;
    });
    assert.deepEqual(found, { files: 2, added: 3, deleted: 0 });
    await first.close();
    await other.close();
  });

  it('is continued by a follow-up, which says so, and published', async () => {
    const id = await run('FAIL');
    await bench.client.sendMessage(bench.target, id, 'NOTHING');
    assert.deepEqual((await bench.ended(id)).changes, { files: 2, added: 2, deleted: 0 });
    assert.equal(await unsaved(id), undefined);
    const log = await localCalls(bench).events(id, { follow: false });
    await log.ended;
    assert.ok(log.events.some((event) => JSON.stringify(event).includes('"continuesUnsavedFiles"')));
  });

  for (const decision of ['keep', 'discard'] as const) {
    it(`of a run that was to replace a commit that was never pushed: ${decision}`, async () => {
      const repo = await sampleRepository();
      const remote = join(await temporaryFolder(), 'remote.git');
      await git(repo, 'clone', '--quiet', '--bare', repo, remote);
      await git(repo, 'remote', 'add', 'origin', remote);
      await git(repo, 'fetch', '--quiet', 'origin');
      const agentCommand = [testNode(), '-e', AGENT];
      bench = await projectAt(service, { agentCommand, repo, publish: true });
      const id = await run('CI, but hold it back');
      assert.match((await job(id)).note ?? '', /CI configuration/);
      await bench.client.sendMessage(bench.target, id, 'FAIL');
      assert.equal((await bench.ended(id)).status, 'failed');
      assert.deepEqual(await unsaved(id), { files: 1, added: 1, deleted: 0 });
      await decide(id, decision);
      const branch = await jobBranch(repo, id);
      const lines = (await git(repo, 'show', `${branch}:README.md`)).split('HALF A SENTENCE').length - 1;
      assert.equal(lines, decision === 'keep' ? 2 : 1);
      assert.equal((await git(repo, 'rev-list', '--count', `main..${branch}`)).trim(), '1');
      assert.ok(existsSync(join(work(id), '.github/workflows/docs.yml')));
      await refused(id, decision, 'nothingUnsaved');
    });
  }

  it('that can’t be committed is refused with the reason, and can be discarded', async () => {
    const id = await run('NEST FAIL');
    await refused(id, 'keep', 'nestedRepository');
    await decide(id, 'discard');
    assert.ok(!existsSync(join(work(id), 'nested')));
    await bench.client.sendMessage(bench.target, id, 'Go on');
    assert.equal((await bench.ended(id)).status, 'completed');
  });
});
