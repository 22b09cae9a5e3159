import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathOf } from '../../src/protocol/routes';
import { oneTimeAddress, openReview } from '../support/reviewPage';
import { temporaryFolder } from '../support/temporaryRepository';
import { type LocalBench, localBench } from './contractBench';

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
