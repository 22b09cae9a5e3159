import assert from 'node:assert/strict';
import { ForgeFailure } from '../../../../src/local-service/forges/forgeErrors';
import { ForgeHttp } from '../../../../src/local-service/forges/forgeHttp';
import { openPullRequest } from '../../../support/captureForge';
import { type ScriptedAnswer, ScriptedServer } from '../../../support/scriptedServer';

const KINDS = ['github', 'gitlab', 'gitea', 'bitbucket'] as const;
const WISH = { branch: 'docs-agent/job1', base: 'main', title: 'Title', body: 'Body' };
const TOKEN = 'very-secret-token';

describe('handling of Git host errors', function () {
  let server: ScriptedServer;
  let http: ForgeHttp;
  beforeEach(async () => {
    server = await ScriptedServer.start();
    http = new ForgeHttp({}, 20_000);
  });
  afterEach(async () => {
    await http.close();
    await server.close();
  });

  const open = (kind: (typeof KINDS)[number], patient = http): Promise<string> =>
    openPullRequest(
      kind,
      {
        ...{ http: patient, host: 'git.example.org', url: server.url, repository: 'robin/lighthouse' },
        ...{ webUrl: 'https://git.example.org/robin/lighthouse', credential: { token: TOKEN } },
        signal: new AbortController().signal,
      },
      WISH,
    );
  const failure = async (kind: (typeof KINDS)[number], patient?: ForgeHttp): Promise<string> => {
    const error = await open(kind, patient).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ForgeFailure, String(error));
    return error.message;
  };

  const cases: [string, ScriptedAnswer, RegExp][] = [
    [
      'a token that is none',
      { status: 401, body: { message: 'Bad credentials' } },
      /didn’t accept the token \(Bad credentials\)\. Sign in with “Docs Agent: Manage Local Service…”/,
    ],
    [
      'a token that may not',
      { status: 403, body: { message: 'Resource not accessible' } },
      /doesn’t let this token access pull requests in robin\/lighthouse \(Resource not accessible\)/,
    ],
    [
      'a limit',
      { status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: {} },
      /is rate limiting you\. Send a follow-up later/,
    ],
    [
      'a limit with a time',
      { status: 429, headers: { 'retry-after': '90' }, body: {} },
      /is rate limiting you for another 2 minutes/,
    ],
    [
      'a repository that is not shown',
      { status: 404, body: { message: 'Not Found' } },
      /This token can’t access robin\/lighthouse on/,
    ],
    [
      'a validation',
      { status: 422, body: { message: 'Validation Failed', errors: [{ message: 'No commits between main and x' }] } },
      /rejected the pull request \(Validation Failed; No commits between main and x\)/,
    ],
    [
      'an error of a megabyte',
      { status: 422, body: { message: 'a'.repeat(1_000_000) } },
      /rejected the pull request \(a{299}…\)/,
    ],
    ['a fault', { status: 500, body: '<html>' }, /is having problems \(status 500\)/],
    ['a way to another host', { status: 302, headers: { location: 'https://evil.example/x' } }, /redirects /],
    [
      'words with the token and a colour',
      { status: 400, body: { error: `\u001b[31m${TOKEN}\u001b[0m is bad` } },
      /rejected the pull request \(\[secret\] is bad\)/,
    ],
  ];
  for (const kind of KINDS) {
    it(`${kind}: does not use overlong names from a response`, async () => {
      const name = 'x'.repeat(100_000);
      const fields = {
        id: 1,
        name: 'lighthouse',
        owner: { login: 'robin' },
        default_branch: name,
        mainbranch: { name },
      };
      server.choose = () => ({ body: fields });
      await assert.rejects(open(kind));
      assert.ok(server.requests.every(({ path, body }) => path.length + body.length < 5_000));
    });

    for (const [what, answer, words] of cases) {
      it(`${kind}: explains ${what}`, async () => {
        server.answers = [answer];
        const message = await failure(kind);
        assert.match(message, words);
        assert.doesNotMatch(message, new RegExp(TOKEN));
      });
    }

    it(`${kind}: rejects a malformed response`, async () => {
      server.answers = [{ status: 200, body: { nothing: true } }];
      await assert.rejects(open(kind));
    });

    it(`${kind}: retries a lost request and gives up after the third attempt`, async () => {
      server.answers = [{ fault: 'reset' }];
      assert.match(await failure(kind), /Couldn’t reach/);
      assert.equal(server.requests.length, 3);
    });
  }

  it('gives up on a host that does not answer', async () => {
    server.answers = [{ fault: 'hang' }];
    const patient = new ForgeHttp({}, 300);
    assert.match(await failure('github', patient), /didn’t respond in time/);
    await patient.close();
  });

  it('does not read an endless response', async () => {
    server.answers = [{ fault: 'endless' }];
    assert.match(await failure('github'), /Couldn’t reach|didn’t respond/);
  });

  it('follows a repository that moved on the same host', async () => {
    const repository = { name: 'new', owner: { login: 'team' }, default_branch: 'main' };
    server.choose = ({ method, path }) => {
      if (path === '/repos/robin/lighthouse') {
        return { status: 301, headers: { location: '/repositories/7' } };
      }
      if (path === '/repositories/7') {
        return { status: 200, body: repository };
      }
      const isNew = method === 'POST' && path === '/repos/team/new/pulls';
      return isNew ? { status: 201, body: { number: 3, html_url: 'javascript:alert(1)' } } : { status: 200, body: [] };
    };
    // The invalid link in the response is not used.
    assert.equal(await open('github'), 'https://git.example.org/robin/lighthouse/pull/3');
  });

  it('looks for the pull request after a failed request and does not send the request again', async () => {
    let opened = false;
    server.choose = ({ method, path }) => {
      if (path === '/repos/robin/lighthouse') {
        return { status: 200, body: { name: 'lighthouse', owner: { login: 'robin' }, default_branch: 'main' } };
      }
      if (method === 'POST') {
        opened = true;
        return { fault: 'reset' };
      }
      const pull = { number: 9, html_url: 'https://git.example.org/p/9', state: 'open', head: { ref: WISH.branch } };
      return { status: 200, body: opened ? [pull] : [] };
    };
    assert.equal(await open('github'), 'https://git.example.org/p/9');
    assert.equal(server.count('POST'), 1);
  });
});
