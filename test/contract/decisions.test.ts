import assert from 'node:assert/strict';
import { LocalServiceClient } from '../../src/client/localServiceClient';
import { Transport } from '../../src/client/transport';
import { ServiceError } from '../../src/protocol/errors';
import { pathOf } from '../../src/protocol/routes';
import { git, jobBranch } from '../support/temporaryRepository';
import { type LocalBench, localBench, projectAt } from './contractBench';

describe('local service, decisions about a job’s work', function () {
  const transport = new Transport();
  const client = new LocalServiceClient(transport);
  let service: LocalBench;
  let bench: LocalBench;
  before(async () => (service = await localBench()));
  after(async () => {
    await transport.dispose();
    await service.close();
  });
  beforeEach(async () => (bench = await projectAt(service)));

  const newJob = async (prompt = 'Document the retry policy'): Promise<string> => {
    const { id } = await bench.client.createJob(bench.target, prompt);
    await bench.ended(id);
    return id;
  };
  const preview = (id: string) => client.mergePreview(bench.target, bench.target.projectId, id);
  const merge = (id: string, shown: Awaited<ReturnType<typeof preview>>) =>
    client.mergeJob(bench.target, bench.target.projectId, id, shown);
  const decide = (id: string, decision: 'close' | 'reopen') =>
    client.decide(bench.target, bench.target.projectId, id, decision);
  const review = async (id: string) => (await bench.client.retrieveJob(bench.target, id))['review'];
  const refused = (work: Promise<unknown>, code: string) =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.deepEqual([error.status, error.coded?.code], [409, code]);
      return true;
    });

  it('merge the commit that the preview named into the branch that it named', async () => {
    const id = await newJob();
    const shown = await preview(id);
    const [head, commit] = await Promise.all(
      ['main', (await bench.client.retrieveJob(bench.target, id)).source?.ref ?? ''].map((ref) =>
        git(bench.repo, 'rev-parse', ref),
      ),
    );
    assert.deepEqual([shown.into, shown.head, shown.commit], ['main', head?.trim(), commit?.trim()]);
    assert.match(shown.text, /“main”/);
    const { ref } = (await bench.client.retrieveJob(bench.target, id)).source ?? {};
    const deleted = { branch: ref, commit: shown.commit };
    assert.equal(shown.deletes, ref);
    assert.deepEqual(await merge(id, shown), { branch: 'main', deleted });
    assert.match(await git(bench.repo, 'show', 'main:docs/retry-policy.md'), /Retry policy/);
    assert.equal(await review(id), 'merged');
    assert.equal((await merge(id, shown)).branch, 'main', 'a repeated request changes nothing');
  });

  it('delete the merged branch, which a follow-up and the user can bring back even after the job was archived', async () => {
    const id = await newJob();
    const { deleted } = await merge(id, await preview(id));
    await assert.rejects(jobBranch(bench.repo, id), /no branch/);
    await git(bench.repo, 'branch', deleted?.branch ?? '', deleted?.commit ?? '');
    await git(bench.repo, 'branch', '--quiet', '-D', deleted?.branch ?? '');
    await client.archiveJob(bench.target, bench.target.projectId, id);
    await git(bench.repo, 'reflog', 'expire', '--expire=now', '--all');
    await git(bench.repo, 'gc', '--quiet', '--prune=now');
    await bench.client.sendMessage(bench.target, id, 'Say more in docs/retry-policy.md');
    assert.equal((await bench.ended(id)).status, 'completed');
    assert.equal(await jobBranch(bench.repo, id), deleted?.branch);
    assert.deepEqual((await merge(id, await preview(id))).deleted?.branch, deleted?.branch);
    assert.equal((await git(bench.repo, 'rev-list', '--count', 'main~2..main')).trim(), '2');
  });

  it('undo a merge, so that the same work can be merged again', async () => {
    const id = await newJob();
    const shown = await preview(id);
    const { deleted } = await merge(id, shown);
    const undo = () => client.undoMerge(bench.target, bench.target.projectId, id);
    await git(bench.repo, 'commit', '--quiet', '--allow-empty', '-m', 'Mine');
    await refused(undo(), 'undoLaterCommits');
    assert.equal(await review(id), 'merged');
    await git(bench.repo, 'reset', '--quiet', '--hard', 'HEAD~1');
    assert.deepEqual(await undo(), { branch: 'main' });
    assert.equal(await review(id), undefined);
    assert.equal(await jobBranch(bench.repo, id), deleted?.branch);
    assert.equal((await git(bench.repo, 'rev-parse', 'main')).trim(), shown.head);
    assert.deepEqual(await undo(), { branch: null });
    assert.deepEqual(await merge(id, shown), { branch: 'main', deleted });
  });

  it('close and reopen a review, and never reopen merged work', async () => {
    const id = await newJob();
    await decide(id, 'close');
    assert.equal(await review(id), 'closed');
    await refused(preview(id), 'reviewClosed');
    await decide(id, 'reopen');
    await decide(id, 'reopen');
    assert.equal(await review(id), undefined);
    await merge(id, await preview(id));
    await refused(decide(id, 'reopen'), 'mergedNotReopened');
    await refused(decide(id, 'close'), 'alreadyMerged');
    assert.equal(await review(id), 'merged');
  });

  it('need a key, a known job and a complete body', async () => {
    const id = await newJob();
    const ask = async (path: string, key: string, body = '{}') => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      return (await fetch(bench.target.baseUrl + path, { method: 'POST', headers, body })).status;
    };
    const { projectId, apiKey } = bench.target;
    for (const route of ['mergeJob', 'undoMerge', 'closeJob', 'reopenJob'] as const) {
      assert.equal(await ask(pathOf(route, { projectId, jobId: id }), 'wrong'), 401);
      assert.equal(await ask(pathOf(route, { projectId, jobId: 'none' }), apiKey), 404);
      const elsewhere = pathOf(route, { projectId: service.target.projectId, jobId: id });
      assert.equal(await ask(elsewhere, apiKey), 404, 'the job of another project');
    }
    assert.equal(await ask(pathOf('mergeJob', { projectId, jobId: id }), apiKey), 400);
    assert.equal(await review(id), undefined);
  });
});
