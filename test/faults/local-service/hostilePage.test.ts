import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { type LocalBench, localBench, waitUntil } from '../../contract/contractBench';
import { oneTimeAddress, openInBrowser } from '../../support/reviewPage';
import { report, scaled, seed } from '../../support/scale';
import { EVIL_HOST, type EvilSite, openEvilSite, REBOUND_HOST } from './evilSite';

const BATCH = 50;
const SECRET = 'The secret words of the prompt';

describe('local service, a hostile page in a browser', function () {
  let bench: LocalBench;
  let site: EvilSite;
  let context: BrowserContext;
  let jobId: string;
  let link: string;
  /** Status of each service answer that reached the browser, whether or not the page could see it. */
  let statuses: number[];
  before(async () => {
    [bench, site] = await Promise.all([localBench({ rateLimit: 100_000 }), openEvilSite()]);
    ({ id: jobId } = await bench.client.createJob(bench.target, `${SECRET} docs/secret.md`));
    link = (await bench.ended(jobId)).prLink ?? '';
  });
  beforeEach(async () => {
    statuses = [];
    context = await site.browser.newContext();
    context.on('response', (response) => {
      if (new URL(response.url()).port === String(bench.service.port)) {
        statuses.push(response.status());
      }
    });
  });
  afterEach(() => context.close());
  after(async () => {
    await site.close();
    await bench.close();
  });

  const known = (origin: string): KnownToAttacker => ({
    ...{ origin, projectId: bench.target.projectId, repo: bench.repo, jobId, key: bench.target.apiKey },
  });

  /** Opens the site's page, and one whose host name now resolves to the service itself. */
  async function pages(): Promise<{ far: Page; rebound: Page; reboundOrigin: string }> {
    const reboundOrigin = `http://${REBOUND_HOST}:${bench.service.port}`;
    const body = `<!doctype html><script>${site.script}</script>`;
    await context.route(`${reboundOrigin}/page`, (route) => route.fulfill({ contentType: 'text/html', body }));
    const [far, rebound] = await Promise.all([context.newPage(), context.newPage()]);
    await Promise.all([far.goto(site.origin), rebound.goto(`${reboundOrigin}/page`)]);
    statuses = [];
    return { far, rebound, reboundOrigin };
  }

  /** Returns what the page could read. Fails if an answer of the service that must be visible is missing. */
  async function attack(page: Page, attacks: readonly PageAttack[]): Promise<string[]> {
    const read: string[] = [];
    const seen = statuses.length;
    for (let start = 0; start < attacks.length; start += BATCH) {
      const batch = JSON.stringify(attacks.slice(start, start + BATCH));
      read.push(...(await page.evaluate<string[]>(`attack(${batch})`)));
    }
    const isSameOrigin = new URL(page.url()).origin === new URL(attacks[0]!.url).origin;
    const expected = visibleAttacks(attacks, isSameOrigin).length;
    const reached = () => statuses.length - seen;
    // The page doesn’t wait for the answer to a beacon.
    await waitUntil(() => reached() >= expected, 20_000).catch(() => undefined);
    assert.ok(reached() >= expected, `${reached()} of ${expected} answers were seen, seed ${seed}`);
    return read;
  }

  it('creates nothing, reads nothing and changes nothing', async function () {
    const count = scaled(200, 20_000);
    this.timeout(60_000 + count * 200);
    const { far, rebound, reboundOrigin } = await pages();
    const folders = () => readdir(join(bench.service.data, 'jobs'));
    const before = await bench.client.retrieveJob(bench.target, jobId);
    const half = { numRuns: count / 2, seed };
    const read = [
      ...(await attack(far, fc.sample(pageAttacks(known(bench.target.baseUrl)), half))),
      ...(await attack(rebound, fc.sample(pageAttacks(known(reboundOrigin)), half))),
    ];
    const reached = statuses.length;
    const accepted = statuses.filter((status) => status < 400).length;
    const readable = read.filter((text) => text !== '' && !/^\{"error":"[^"]+"\}$/.test(text));
    assert.equal(accepted, 0, `accepted, seed ${seed}`);
    assert.deepEqual(readable, [], `seed ${seed}`);
    assert.deepEqual(await folders(), [jobId]);
    assert.deepEqual(await bench.client.retrieveJob(bench.target, jobId), before);
    const honest = await bench.client.createJob(bench.target, 'In good faith [scripted: change nothing]');
    assert.equal(honest.model, before['model'], 'the agent is still the user’s');
    const what = `${count} attacks of a page in Chromium, ${reached} of them reached the service`;
    report({ promise: 'S9', what, figure: `${accepted} accepted, ${readable.length} answers readable` });
  });

  /** Opens the review page as the user does, in the browser in which the hostile pages are open. */
  async function openReview(): Promise<URL> {
    const page = await context.newPage();
    await openInBrowser(page, { target: bench.target, jobId });
    assert.ok((await page.innerText('body')).includes(SECRET));
    return new URL(page.url());
  }

  /**
   * Hostile pages of another site, of a host name that now resolves to the service, and of another port of this
   * machine.
   */
  async function threePages(): Promise<{ page: Page; origin: string }[]> {
    const { far, rebound, reboundOrigin } = await pages();
    const near = await context.newPage();
    await near.goto(site.origin.replace(EVIL_HOST, '127.0.0.1'));
    return [far, rebound, near].map((page) => ({
      page,
      origin: page === rebound ? reboundOrigin : bench.target.baseUrl,
    }));
  }

  it('cannot read a review page that the user has open, even if it knows the address', async () => {
    const review = await openReview();
    const ways = ['fetch', 'iframe', 'img', 'script', 'link', 'video', 'object', 'module', 'events', 'form'];
    const to = (url: string): PageAttack[] =>
      ways.map((way) => ({ ...{ way, url, method: 'GET', mode: 'cors', enctype: '', headers: {}, body: '{}' } }));
    const read: string[] = [];
    for (const { page, origin } of await threePages()) {
      statuses = [];
      read.push(...(await attack(page, to(origin + review.pathname))));
      assert.ok(
        statuses.includes(page.url().startsWith('http://127.') ? 200 : 403),
        `${page.url()}: ${statuses.join()}`,
      );
      assert.equal(page.frames().length, 1);
    }
    assert.deepEqual(
      read.filter((text) => text.includes(SECRET)),
      [],
    );
    assert.equal(site.hits.length, 0);
  });

  it('can link to a one-time address, which opens the review page and leaves no code in the history', async () => {
    const page = await context.newPage();
    await page.goto(site.origin);
    const url = await oneTimeAddress({ target: bench.target, jobId });
    await page.evaluate(`location.href = ${JSON.stringify(url)}`);
    await page.waitForURL(/\/review\/[^/?]+\/[^/?]+$/);
    assert.ok((await page.innerText('body')).includes(SECRET));
    await page.reload();
    assert.ok((await page.innerText('body')).includes(SECRET));
    await page.goBack();
    assert.equal(new URL(page.url()).origin, site.origin);
  });

  it('receives no cookie by listening on the port of an old link', async () => {
    await openReview();
    const cookies: unknown[] = [];
    const server = createServer((request, response) => {
      cookies.push(request.headers.cookie);
      response.end('mine');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const old = link.replace(`:${bench.service.port}/`, `:${(server.address() as AddressInfo).port}/`);
    const page = await context.newPage();
    await page.goto(old);
    await page.evaluate(`location.href = location.pathname + '/' + 'x'.repeat(43)`);
    await page.waitForURL(/x{43}$/);
    server.closeAllConnections();
    server.close();
    assert.ok(cookies.length >= 2);
    assert.deepEqual(
      cookies.filter((cookie) => cookie !== undefined),
      [],
    );
  });

  it('is rejected because of each header that identifies it as a page', async () => {
    const body = JSON.stringify({ prompt: 'In good faith [scripted: change nothing]' });
    const headers = { authorization: `Bearer ${bench.target.apiKey}`, 'content-type': 'application/json' };
    const url = `${bench.target.baseUrl}/v2/agent/${bench.target.projectId}/job`;
    const giveaways: Record<string, string>[] = [
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'same-origin' },
      { Host: 'evil.example' },
    ];
    for (const giveaway of giveaways) {
      const context = await site.browser.newContext();
      const answer = await context.request.post(url, { headers: { ...headers, ...giveaway }, data: body });
      assert.equal(answer.status(), 403);
      await context.close();
    }
    const { id } = await bench.client.createJob(bench.target, 'In good faith [scripted: change nothing]');
    await waitUntil(async () => (await bench.client.retrieveJob(bench.target, id)).status === 'completed');
  });
});

/** One request that a hostile page tries to send. */
interface PageAttack {
  way: string;
  url: string;
  method: string;
  mode: string;
  enctype: string;
  headers: Record<string, string>;
  body: string;
}

/** What the attacker may have learned or can guess. */
interface KnownToAttacker {
  origin: string;
  projectId: string;
  /** The user's repository. */
  repo: string;
  jobId: string;
  key: string;
}

const WAYS = [
  ...['fetch', 'fetch', 'fetch', 'form', 'form', 'iframe', 'img', 'script', 'link', 'video', 'object'],
  ...['module', 'beacon', 'socket', 'events'],
];

/**
 * Returns the attacks whose answers Playwright must report; some others are reported, too. It reports neither
 * WebSockets nor `/favicon.ico`. Without CORS, `fetch` refuses all methods but GET, HEAD, and POST. From another origin,
 * a browser sends some attacks only after a preflight request, and hides some answers. Of equal requests, a browser may
 * send only one.
 */
function visibleAttacks(attacks: readonly PageAttack[], isSameOrigin: boolean): PageAttack[] {
  const isVisible = ({ way, url, method, mode, headers }: PageAttack): boolean => {
    if (way === 'socket' || new URL(url).pathname === '/favicon.ico') {
      return false;
    }
    if (way === 'fetch' && mode === 'no-cors') {
      return method === 'POST' || (isSameOrigin && (method === 'GET' || method === 'HEAD'));
    }
    if (isSameOrigin || way === 'form' || way === 'iframe' || way === 'object') {
      return true;
    }
    return way === 'beacon' && headers['Content-Type'] !== 'application/json';
  };
  const visible = attacks.filter(isVisible);
  return [...new Map(visible.map((each) => [`${each.way} ${each.url}`, each])).values()];
}

/** Attacks of every kind on every route, some with the key. */
function pageAttacks({ origin, projectId, repo, jobId, key }: KnownToAttacker): fc.Arbitrary<PageAttack> {
  const id = fc.oneof(...[fc.constant(jobId), fc.stringMatching(/^[0-9a-f]{16}$/), fc.webFragments({ size: 'small' })]);
  const project = fc.oneof({ weight: 3, arbitrary: fc.constant(projectId) }, { weight: 1, arbitrary: id });
  const capability = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/);
  const path = fc.oneof(
    project.map((name) => `/v2/agent/${name}/job`),
    fc.tuple(project, id).map(([name, job]) => `/v2/agent/${name}/job/${job}`),
    fc.tuple(project, id).map(([name, job]) => `/v2/agent/${name}/job/${job}/message`),
    fc.tuple(id, capability).map(([job, guess]) => `/review/${job}/${guess}`),
    fc
      .tuple(project, id, fc.constantFrom('merge', 'undo-merge', 'close', 'reopen', 'review-link'))
      .map(([name, job, what]) => `/v2/agent/${name}/job/${job}/${what}`),
    fc.constantFrom('/local/projects', '/local/shutdown', '/', '/v2', '/review/', '/favicon.ico'),
  );
  const headers = fc.record(
    {
      'Content-Type': fc.constantFrom('text/plain', 'application/json', 'application/x-www-form-urlencoded'),
      Authorization: fc.constantFrom(`Bearer ${key}`, `Bearer local_${'0'.repeat(64)}`),
      'X-Requested-With': fc.constant('XMLHttpRequest'),
      'X-HTTP-Method-Override': fc.constantFrom('PUT', 'POST'),
    },
    { requiredKeys: [] },
  );
  const body = fc.constantFrom(
    JSON.stringify({ commit: '0'.repeat(40), x: '=' }),
    JSON.stringify({ prompt: 'Let me in', x: '=' }),
    JSON.stringify({
      folder: repo,
      settings: { agent: 'custom', command: ['sh', '-c', 'echo owned > README.md'] },
      x: '=',
    }),
  );
  return fc.record({
    way: fc.constantFrom(...WAYS),
    url: path.map((each) => `${origin}${each}`),
    method: fc.constantFrom('GET', 'POST', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH'),
    mode: fc.constantFrom('cors', 'no-cors'),
    enctype: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'),
    headers,
    body,
  });
}
