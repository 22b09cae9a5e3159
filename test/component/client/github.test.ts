import { deepStrictEqual, rejects } from 'node:assert/strict';
import { readChecks, readPullRequest } from '../../../src/client/github';
import { Transport } from '../../../src/client/transport';
import { ServiceError } from '../../../src/protocol/errors';
import { type ScriptedAnswer, ScriptedServer } from '../../support/scriptedServer';

const known = (more: object) => ({ is: 'known', state: 'open', details: {}, etag: undefined, ...more });
const open = (more: object = {}) => ({ body: { state: 'open', merged: false, ...more } });
const asked = { draft: true, requested_reviewers: [{ login: 'robin' }], requested_teams: [] };
const counts = { changed_files: 2, additions: 8, deletions: 1, comments: 1, review_comments: 2 };
const counted = { isDraft: true, isReviewRequested: true, comments: 3, changes: { files: 2, added: 8, deleted: 1 } };
const odd = { draft: 'x', requested_reviewers: 'x', comments: -1, changed_files: 1e300, additions: [], deletions: {} };

/** What GitHub’s answers about a pull request mean; undefined for an error. */
const PULLS: readonly [answer: ScriptedAnswer, meaning: object | undefined][] = [
  [{ ...open(), headers: { etag: '"1"' } }, known({ etag: '"1"' })],
  [open({ ...asked, ...counts }), known({ details: counted })],
  [open(odd), known({})],
  [
    { body: { state: 'closed', merged: true, closed_at: '2026-01-02T03:04:05Z' } },
    known({ state: 'merged', endedAt: Date.UTC(2026, 0, 2, 3, 4, 5) }),
  ],
  [{ body: { state: 'closed', merged: false } }, known({ state: 'closed' })],
  [{ status: 304 }, { is: 'unchanged' }],
  [{ status: 404, body: { message: 'Not Found' } }, { is: 'hidden' }],
  // Only for those who have signed in elsewhere.
  [{ status: 403 }, { is: 'hidden' }],
  [
    { status: 403, headers: { 'x-ratelimit-remaining': '0' } },
    { is: 'limited', waitMs: undefined },
  ],
  [
    { status: 403, headers: { 'retry-after': '60' } },
    { is: 'limited', waitMs: 60_000 },
  ],
  [
    { status: 429, headers: { 'retry-after': '90' } },
    { is: 'limited', waitMs: 90_000 },
  ],
  [{ status: 429 }, { is: 'limited', waitMs: undefined }],
  [{ body: { state: 'half' } }, undefined],
  [{ status: 301, headers: { location: '/other' } }, undefined],
];

const rollup = (statusCheckRollup: unknown): ScriptedAnswer => ({
  body: { data: { repository: { pullRequest: { commits: { nodes: [{ commit: { statusCheckRollup } }] } } } } },
});
const CHECKS: readonly [answer: ScriptedAnswer, meaning: object | undefined][] = [
  [rollup({ state: 'SUCCESS' }), { checks: 'passing' }],
  [rollup({ state: 'FAILURE' }), { checks: 'failing' }],
  [rollup({ state: 'ERROR' }), { checks: 'failing' }],
  [rollup({ state: 'PENDING' }), { checks: 'pending' }],
  [rollup(null), {}],
  [rollup({ state: 'toString' }), {}],
  [{ body: { errors: [{ type: 'RATE_LIMITED' }] } }, { limit: { is: 'limited' } }],
  [{ status: 429, headers: { 'retry-after': '60' } }, { limit: { is: 'limited', waitMs: 60_000 } }],
  [{ body: { errors: [{ type: 'NOT_FOUND' }] } }, undefined],
];

describe('GitHub’s answers', () => {
  let server: ScriptedServer;
  const transport = new Transport();
  before(async () => {
    server = await ScriptedServer.start();
  });
  after(async () => {
    await transport.dispose();
    await server.close();
  });
  const question = () => ({ baseUrl: server.url, path: 'acme/docs/pulls/12', token: 'secret', etag: '"7"' });

  for (const [what, table, ask] of [
    ['about a pull request', PULLS, () => readPullRequest(transport, question(), 0)],
    ['about its checks', CHECKS, () => readChecks(transport, question(), 0)],
  ] as const) {
    it(`${what} are understood with one request`, async () => {
      for (const [answer, meaning] of table) {
        server.answers = [answer];
        const before = server.requests.length;
        const asking = ask();
        await (meaning === undefined
          ? rejects(asking, ServiceError)
          : asking.then((told) => deepStrictEqual(told, meaning)));
        deepStrictEqual(server.requests.length, before + 1);
      }
    });
  }

  it('are asked for with the token, the known ETag, and the number', async () => {
    server.answers = [{ status: 304 }, rollup(null)];
    await readPullRequest(transport, question(), 0);
    await readChecks(transport, question(), 0);
    const [rest, graph] = server.requests.slice(-2);
    deepStrictEqual([rest?.method, rest?.path], ['GET', '/repos/acme/docs/pulls/12']);
    deepStrictEqual([rest?.headers['if-none-match'], rest?.headers.authorization], ['"7"', 'Bearer secret']);
    deepStrictEqual([graph?.method, graph?.path], ['POST', '/graphql']);
    const { variables } = JSON.parse(graph?.body ?? '') as { variables: unknown };
    deepStrictEqual(variables, { owner: 'acme', name: 'docs', number: 12 });
  });
});
