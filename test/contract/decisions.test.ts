import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalServiceClient } from '../../src/client/localServiceClient';
import { Transport } from '../../src/client/transport';
import { ServiceError } from '../../src/protocol/errors';
import { pathOf } from '../../src/protocol/routes';
import { oneTimeAddress, openReview } from '../support/reviewPage';
import { git, jobBranch, temporaryFolder } from '../support/temporaryRepository';
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
    const { review: ended, surroundings } = await bench.client.retrieveJob(bench.target, id);
    assert.deepEqual([ended, surroundings], ['merged', { mergedInto: 'main' }]);
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
    for (const route of ['mergeJob', 'undoMerge', 'closeJob', 'reopenJob', 'keepWork', 'discardWork'] as const) {
      assert.equal(await ask(pathOf(route, { projectId, jobId: id }), 'wrong'), 401);
      assert.equal(await ask(pathOf(route, { projectId, jobId: 'none' }), apiKey), 404);
      const elsewhere = pathOf(route, { projectId: service.target.projectId, jobId: id });
      assert.equal(await ask(elsewhere, apiKey), 404, 'the job of another project');
    }
    assert.equal(await ask(pathOf('mergeJob', { projectId, jobId: id }), apiKey), 400);
    assert.equal(await review(id), undefined);
  });
});

const PROMPT = 'Document the confidential limits';

describe('the address of a review page', () => {
  let bench: LocalBench;
  let jobId: string;
  let link: string;
  let stateFile: string;
  before(async () => {
    stateFile = join(await temporaryFolder(), 'state.json');
    bench = await localBench({ stateFile });
    ({ id: jobId } = await bench.client.createJob(bench.target, PROMPT));
    link = (await bench.ended(jobId)).prLink ?? '';
  });
  after(() => bench.close());

  const job = () => ({ target: bench.target, jobId });

  /** Tries to read and to change the page, as a program that can set any header. Returns the statuses. */
  async function tryAll(base: string, cookie = ''): Promise<number[]> {
    const headers = { 'content-type': 'application/json', origin: new URL(base).origin, cookie };
    const writes = ['', '/merge', '/close'].map((path) => fetch(base + path, { method: 'POST', headers, body: '{}' }));
    const answers = await Promise.all([fetch(base, { headers }), ...writes]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assert.ok(!texts.some((text) => text.includes('confidential')), 'nothing of the job is told');
    return answers.map(({ status }) => status);
  }

  it('names the job but no secret, and does not grant access on its own', async () => {
    assert.equal(link, `${bench.target.baseUrl}/review/${jobId}`);
    const page = await fetch(link);
    const html = await page.text();
    assert.equal(page.status, 403);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(html, /Open in Browser/);
    assert.match(html, /curl [^<]+\/review-link/);
    assert.ok(!html.includes('confidential'));
    assert.deepEqual(
      (await tryAll(link)).filter((status) => status < 400),
      [],
    );
    const other = await (await fetch(`${bench.target.baseUrl}/review/0123456789abcdef`)).text();
    assert.equal(other.replaceAll('0123456789abcdef', jobId), html, 'whether there is such a job is not told');
  });

  it('opens the page once with a code, which is exchanged for a cookie that is valid for this page only', async () => {
    const url = await oneTimeAddress(job());
    assert.match(url, new RegExp(`^${link}\\?code=[A-Za-z0-9_-]{43}$`));
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 403, 'a look at it does not use it up');
    const elsewhere = url.replace(jobId, '0123456789abcdef');
    assert.equal((await fetch(elsewhere)).status, 403);
    const entry = await fetch(url, { redirect: 'manual' });
    assert.equal(entry.status, 303);
    assert.equal(entry.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(entry.headers.get('cache-control'), 'no-store');
    const cookies = entry.headers.getSetCookie();
    const path = `/review/${jobId}/[A-Za-z0-9_-]{43}`;
    const form = `^docs-agent-review=[A-Za-z0-9_-]{43}; Path=${path}; HttpOnly; SameSite=Lax$`;
    assert.equal(cookies.length, 1);
    assert.match(cookies[0] ?? '', new RegExp(form));
    assert.ok(!(await entry.text()).includes('confidential'));
    assert.match(entry.headers.get('location') ?? '', new RegExp(`^${path}$`));
    assert.equal((await fetch(url)).status, 403, 'a second time');
  });

  it('denies access without its own cookie, and can only be read', async () => {
    const { url, cookie, page } = await openReview(job());
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(page.headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.ok((await page.text()).includes(PROMPT));
    assert.deepEqual(await tryAll(url), [403, 405, 404, 404]);
    const second = await bench.client.createJob(bench.target, 'Another job');
    await bench.ended(second.id);
    const foreign = await openReview({ target: bench.target, jobId: second.id });
    assert.deepEqual(await tryAll(url, foreign.cookie), [403, 405, 404, 404]);
    const headers = { cookie, origin: new URL(url).origin };
    assert.equal((await fetch(url, { method: 'POST', headers, body: '{}' })).status, 405);
  });

  it('is issued to anyone with the key, for a job that has something to review', async () => {
    const ask = (id: string, key = bench.target.apiKey) =>
      fetch(bench.target.baseUrl + pathOf('openReview', { ...bench.target, jobId: id }), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      });
    assert.equal((await ask(jobId, `local_${'0'.repeat(64)}`)).status, 401);
    assert.equal((await ask(jobId, bench.service.otherKey)).status, 403);
    assert.equal((await ask('none')).status, 404);
    const { id } = await bench.client.createJob(bench.target, '[scripted: change nothing]');
    await bench.ended(id);
    const none = await ask(id);
    assert.equal(none.status, 409);
    assert.match(((await none.json()) as { error: string }).error, /nothing to review/);
  });

  it('never appears with a secret in what the service returns, writes or logs', async () => {
    const before = await oneTimeAddress(job());
    const opened = await openReview(job());
    const unused = new URL(before).searchParams.get('code') ?? '';
    const secrets = [unused, opened.cookie.split('=')[1] ?? '', new URL(opened.url).pathname.split('/')[3] ?? ''];
    assert.ok(secrets.every((secret) => secret.length === 43));
    const { baseUrl, projectId, apiKey } = bench.target;
    const paths = [
      pathOf('retrieveJob', { projectId, jobId }),
      pathOf('listJobs', { projectId }),
      `${pathOf('followJob', { projectId, jobId })}?follow=false`,
      pathOf('readChanges', { projectId, jobId }),
      '/openapi.json',
      '/local/storage',
    ];
    const told = await Promise.all(
      paths.map(async (path) =>
        (await fetch(baseUrl + path, { headers: { authorization: `Bearer ${apiKey}` } })).text(),
      ),
    );
    const { data } = bench.service;
    const files = (await readdir(data, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const kept = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
    const all = [...told, ...kept, await readFile(stateFile, 'utf8'), bench.service.output()];
    assert.ok(
      all.some((text) => text.includes(PROMPT)),
      'the scan finds what is there',
    );
    assert.deepEqual(
      secrets.filter((secret) => all.some((text) => text.includes(secret))),
      [],
    );
    assert.deepEqual(
      all.flatMap((text) => text.match(/\/review\/[0-9a-f]{16}\/[\w-]{20,}|[?&]code=[\w-]{20,}/g) ?? []),
      [],
    );
  });
});
