import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { customAgent } from '../support/sampleTurn';
import { registeredProjectSchema } from '../../src/protocol/localService';
import { jobBranch, git, temporaryFolder } from '../support/temporaryRepository';
import { type LocalBench, localBench, projectAt } from './contractBench';

describe('local service, the user’s repository', function () {
  let service: LocalBench;
  let bench: LocalBench;
  before(async () => (service = await localBench()));
  after(() => service.close());
  beforeEach(async () => (bench = await projectAt(service)));

  const put = async (body: unknown) => {
    const headers = { authorization: `Bearer ${bench.target.apiKey}`, 'content-type': 'application/json' };
    const answer = await fetch(`${bench.target.baseUrl}/local/projects`, {
      method: 'PUT',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as { error?: string } };
  };

  /**
   * Everything a user would notice: what is checked out, staged, changed or stashed, and every ref except the job's.
   */
  const snapshot = async (): Promise<string> => {
    const refs = await git(bench.repo, 'for-each-ref', '--format=%(refname) %(objectname)');
    return JSON.stringify([
      refs.split('\n').filter((line) => !line.startsWith('refs/heads/docs-agent/')),
      await readFile(join(bench.repo, '.git/HEAD'), 'utf8'),
      await readFile(join(bench.repo, '.git/config'), 'utf8'),
      (await readFile(join(bench.repo, '.git/index'))).toString('hex'),
      await git(bench.repo, 'status', '--porcelain', '--ignored'),
      await git(bench.repo, 'stash', 'list'),
    ]);
  };

  it('stays unchanged except for the job’s branch, which contains the work and can be merged', async () => {
    await writeFile(join(bench.repo, 'README.md'), 'stashed\n');
    await git(bench.repo, 'stash', '--quiet');
    await writeFile(join(bench.repo, 'docs/index.md'), 'staged\n');
    await git(bench.repo, 'add', '--all');
    await writeFile(join(bench.repo, 'docs/getting-started.md'), 'changed\n');
    await writeFile(join(bench.repo, 'new.md'), 'new\n');
    await git(bench.repo, 'status');
    const before = await snapshot();

    const { id } = await bench.client.createJob(bench.target, 'Document the retry policy');
    await bench.ended(id);
    await bench.client.sendMessage(bench.target, id, 'Say more in docs/retry-policy.md');
    await bench.ended(id);
    assert.equal(await snapshot(), before);

    const log = await git(bench.repo, 'log', '--format=%s', `main..${await jobBranch(bench.repo, id)}`);
    assert.deepEqual(log.trim().split('\n'), ['Say more in docs/retry-policy.md', 'Document the retry policy']);
    const trailer = await git(
      bench.repo,
      'log',
      '-1',
      '--format=%(trailers:key=Docs-Agent-Job)',
      await jobBranch(bench.repo, id),
    );
    assert.equal(trailer.trim(), `Docs-Agent-Job: ${id}`);
    await git(bench.repo, 'checkout', '--quiet', '--force', '-B', 'other', 'main');
    await git(bench.repo, 'merge', '--quiet', await jobBranch(bench.repo, id));
    assert.match(await readFile(join(bench.repo, 'docs/retry-policy.md'), 'utf8'), /^# Retry policy\n/);
  });

  it('keeps commits that the user added to the job’s branch', async () => {
    const { id } = await bench.client.createJob(bench.target, 'Document the retry policy');
    await bench.ended(id);
    await git(bench.repo, 'checkout', '--quiet', await jobBranch(bench.repo, id));
    await git(bench.repo, 'commit', '--quiet', '--allow-empty', '-m', 'My own');
    const own = await git(bench.repo, 'rev-parse', 'HEAD');
    await bench.client.sendMessage(bench.target, id, 'Say more in docs/retry-policy.md');
    assert.match(String((await bench.ended(id))['error']), /is checked out in your repository/);
    await git(bench.repo, 'checkout', '--quiet', 'main');
    await bench.client.sendMessage(bench.target, id, '[scripted: change nothing]');
    assert.match(String((await bench.ended(id))['error']), /has commits that the agent’s branch doesn’t/);
    assert.equal(await git(bench.repo, 'rev-parse', await jobBranch(bench.repo, id)), own);
    await git(bench.repo, 'branch', '-m', await jobBranch(bench.repo, id), 'kept');
    await bench.client.sendMessage(bench.target, id, '[scripted: change nothing]');
    assert.equal((await bench.ended(id)).status, 'completed');
    assert.equal(
      (await git(bench.repo, 'rev-list', '--count', `main..${await jobBranch(bench.repo, id)}`)).trim(),
      '2',
    );
  });

  it('can be registered with any folder in it, gets the same id, and reports uncommitted work', async () => {
    const folder = join(bench.repo, 'docs');
    const clean = await put({ folder, settings: customAgent(['agent']) });
    assert.deepEqual([clean.status, registeredProjectSchema.parse(clean.body).dirty], [200, false]);
    assert.equal(registeredProjectSchema.parse(clean.body).projectId, bench.target.projectId);
    await writeFile(join(folder, 'new.md'), 'new');
    assert.equal(
      registeredProjectSchema.parse((await put({ folder, settings: customAgent(['agent']) })).body).dirty,
      true,
    );
  });

  it('is rejected with 400 if it is not a repository or has no commit', async () => {
    const plain = await temporaryFolder();
    const missing = join(plain, 'missing');
    const empty = await temporaryFolder();
    await git(empty, 'init', '--quiet');
    for (const [folder, words] of [
      [plain, /isn’t in a Git repository/],
      [missing, /There is no folder/],
      [empty, /has no commits/],
    ] as const) {
      const answer = await put({ folder, settings: customAgent(['agent']) });
      assert.equal(answer.status, 400);
      assert.match(answer.body.error ?? '', words);
    }
    assert.equal((await put({ folder: bench.repo })).status, 400);
  });

  it('reports its remote without credentials, and a detached checkout', async () => {
    await git(bench.repo, 'remote', 'add', 'origin', 'https://robin:secret@git.example.org/team/lighthouse.git');
    await git(bench.repo, 'checkout', '--quiet', '--detach');
    const job = await bench.client.createJob(bench.target, 'Document the limits');
    const repository = 'https://git.example.org/team/lighthouse.git';
    assert.deepEqual(job.source, { repository, ref: null });
    const ended = await bench.ended(job.id);
    assert.equal(ended.status, 'completed');
    assert.deepEqual(ended.source, { repository, ref: `docs-agent/document-the-limits-${job.id.slice(0, 4)}` });
  });

  it('fails the job with the reason if it no longer exists', async () => {
    await rename(bench.repo, `${bench.repo}.gone`);
    const { id } = await bench.client.createJob(bench.target, 'Document the limits');
    assert.equal((await bench.ended(id))['error'], `There is no folder “${bench.repo}”.`);
  });
});
