import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { readChecks, readPullRequest } from '../../../src/client/githubPulls';
import { Transport } from '../../../src/client/transport';
import { ServiceError } from '../../../src/protocol/errors';
import { type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';

describe('readPullRequest', () => {
  let server: ScriptedServer;
  const transport = new Transport();
  before(async () => {
    server = await ScriptedServer.start();
  });
  after(async () => {
    await transport.dispose();
    await server.close();
  });

  const ask = async (answer: ScriptedAnswer, etag?: string): Promise<unknown> => {
    server.answers = [answer];
    const question = { baseUrl: server.url, path: 'acme/docs/pulls/12', token: 'secret', etag };
    return readPullRequest(transport, question, 0);
  };

  for (const [what, answer, expected] of [
    [
      'open',
      { body: { state: 'open', merged: false }, headers: { etag: '"1"' } },
      { is: 'known', state: 'open', details: {}, etag: '"1"' },
    ],
    [
      'merged',
      { body: { state: 'closed', merged: true, closed_at: '2026-01-02T03:04:05Z' } },
      { is: 'known', state: 'merged', details: {}, etag: undefined, endedAt: Date.UTC(2026, 0, 2, 3, 4, 5) },
    ],
    [
      'closed',
      { body: { state: 'closed', merged: false } },
      { is: 'known', state: 'closed', details: {}, etag: undefined },
    ],
    ['as before', { status: 304 }, { is: 'unchanged' }],
    ['not to be seen', { status: 404, body: { message: 'Not Found' } }, { is: 'hidden' }],
    ['asked for too often', { status: 429, headers: { 'retry-after': '90' } }, { is: 'limited', waitMs: 90_000 }],
    ['asked for too often, without a time', { status: 429 }, { is: 'limited', waitMs: undefined }],
    [
      'as often as one may',
      { status: 403, headers: { 'x-ratelimit-remaining': '0' } },
      { is: 'limited', waitMs: undefined },
    ],
    ['too fast', { status: 403, headers: { 'retry-after': '60' } }, { is: 'limited', waitMs: 60_000 }],
    ['to those only who have signed in elsewhere', { status: 403 }, { is: 'hidden' }],
  ] as [string, ScriptedAnswer, unknown][]) {
    it(`interprets GitHub’s answer: ${what}`, async () => deepStrictEqual(await ask(answer), expected));
  }

  it('reads what GitHub returns besides the state, and ignores values of other types', async () => {
    const counts = { changed_files: 2, additions: 8, deletions: 1, comments: 1, review_comments: 2 };
    const asked = { draft: true, requested_reviewers: [{ login: 'robin' }], requested_teams: [] };
    const state = { state: 'open', merged: false };
    const known = { is: 'known', state: 'open', etag: undefined };
    deepStrictEqual(await ask({ body: { ...state, ...counts, ...asked } }), {
      ...known,
      details: { isDraft: true, isReviewRequested: true, comments: 3, changes: { files: 2, added: 8, deleted: 1 } },
    });
    const odd = {
      draft: 'x',
      requested_reviewers: 'x',
      comments: -1,
      changed_files: 1e300,
      additions: [],
      deletions: {},
    };
    deepStrictEqual(await ask({ body: { ...state, ...odd } }), { ...known, details: {} });
  });

  it('sends the known ETag and the token to the API endpoint', async () => {
    await ask({ status: 304 }, '"7"');
    const { method, path, headers } = server.requests.at(-1)!;
    deepStrictEqual([method, path], ['GET', '/repos/acme/docs/pulls/12']);
    deepStrictEqual([headers['if-none-match'], headers.authorization], ['"7"', 'Bearer secret']);
  });

  it('rejects a malformed response and does not follow redirects', async () => {
    await rejects(ask({ body: { state: 'half' } }), ServiceError);
    const labels = Array.from({ length: 30_000 }, () => 0);
    await rejects(ask({ body: { state: 'open', merged: false, labels } }), ServiceError);
    const before = server.requests.length;
    await rejects(ask({ status: 301, headers: { location: `${server.url}/other` } }), ServiceError);
    strictEqual(server.requests.length, before + 1);
  });
});

describe('readChecks', () => {
  let server: ScriptedServer;
  const transport = new Transport();
  before(async () => {
    server = await ScriptedServer.start();
  });
  after(async () => {
    await transport.dispose();
    await server.close();
  });

  const ask = async (answer: ScriptedAnswer): Promise<unknown> => {
    server.answers = [answer];
    return readChecks(transport, { baseUrl: server.url, path: 'acme/docs/pulls/12', token: 'secret' }, 0);
  };
  const rollup = (statusCheckRollup: unknown): ScriptedAnswer => ({
    body: { data: { repository: { pullRequest: { commits: { nodes: [{ commit: { statusCheckRollup } }] } } } } },
  });

  for (const [what, answer, expected] of [
    ['passing', rollup({ state: 'SUCCESS' }), { checks: 'passing' }],
    ['failing', rollup({ state: 'FAILURE' }), { checks: 'failing' }],
    ['broken', rollup({ state: 'ERROR' }), { checks: 'failing' }],
    ['still running', rollup({ state: 'PENDING' }), { checks: 'pending' }],
    ['none', rollup(null), {}],
    ['of a later version', rollup({ state: 'toString' }), {}],
    ['over the limit', { body: { errors: [{ type: 'RATE_LIMITED' }] } }, { limit: { is: 'limited' } }],
    ['too fast', { status: 429, headers: { 'retry-after': '60' } }, { limit: { is: 'limited', waitMs: 60_000 } }],
  ] as [string, ScriptedAnswer, unknown][]) {
    it(`interprets GitHub’s answer: ${what}`, async () => deepStrictEqual(await ask(answer), expected));
  }

  it('asks for one pull request with one request', async () => {
    const before = server.requests.length;
    await ask(rollup(null));
    strictEqual(server.requests.length, before + 1);
    const { method, path, body } = server.requests.at(-1)!;
    deepStrictEqual([method, path], ['POST', '/graphql']);
    deepStrictEqual((JSON.parse(body) as { variables: unknown }).variables, {
      owner: 'acme',
      name: 'docs',
      number: 12,
    });
    await rejects(ask({ body: { errors: [{ type: 'NOT_FOUND' }] } }), ServiceError);
  });
});
