import assert from 'node:assert/strict';
import type { ForgeKind } from '../../../../src/protocol/forgeKinds';
import { ForgeHttp } from '../../../../src/local-service/forges/forgeHttp';
import { ForgeDetector } from '../../../../src/local-service/forges/forges';
import { ManualClock } from '../../../support/manualClock';
import { type ScriptedAnswer, ScriptedServer } from '../../../support/scriptedServer';

const never = new AbortController().signal;

describe('ForgeDetector', function () {
  let server: ScriptedServer;
  let http: ForgeHttp;
  let clock: ManualClock;
  let detector: ForgeDetector;
  beforeEach(async () => {
    server = await ScriptedServer.start();
    http = new ForgeHttp({});
    clock = new ManualClock();
    detector = new ForgeDetector(http, clock);
  });
  afterEach(async () => {
    await http.close();
    await server.close();
  });

  const kindOf = async (origin: string, signal: AbortSignal): Promise<ForgeKind | 'unknown'> =>
    (await detector.detect(origin, signal))?.kind ?? 'unknown';

  for (const [host, kind] of [
    ['github.com', 'github'],
    ['github.example.org', 'github'],
    ['team.ghe.com', 'github'],
    ['gitlab.com', 'gitlab'],
    ['gitlab.example.org', 'gitlab'],
    ['bitbucket.org', 'bitbucket'],
    ['codeberg.org', 'gitea'],
    ['forgejo.example.org', 'gitea'],
    ['gitea.example.org', 'gitea'],
  ] as const) {
    it(`recognizes ${host} by its name`, async () => {
      assert.equal(await kindOf(`https://${host}`, never), kind);
    });
  }

  const probes: [ForgeKind | 'unknown', string, ScriptedAnswer][] = [
    ['gitlab', '/api/v4/version', { status: 401, body: { message: '401 Unauthorized' } }],
    ['gitlab', '/api/v4/version', { status: 200, body: { version: '17.5.0', revision: 'abc' } }],
    ['gitea', '/api/v1/version', { status: 200, body: { version: '1.23.1' } }],
    ['github', '/api/v3', { status: 401, headers: { 'x-github-enterprise-version': '3.15' }, body: {} }],
    ['unknown', '/nothing', { status: 200 }],
  ];
  for (const [kind, path, answer] of probes) {
    it(`detects ${kind} by ${path} (${answer.status ?? 200}) without a token and caches the result`, async () => {
      server.choose = (seen) => (seen.path === path ? answer : { status: 404, body: '<html>' });
      assert.equal(await kindOf(server.url, never), kind);
      assert.equal(await kindOf(server.url, never), kind);
      assert.equal(server.requests.length, 3);
      assert.ok(server.requests.every(({ headers }) => headers.authorization === undefined));
    });
  }

  it('checks an unknown host again later', async () => {
    server.answers = [{ status: 404 }];
    await kindOf(server.url, never);
    await clock.advance(11 * 60_000);
    server.choose = ({ path }) =>
      path === '/api/v1/version' ? { status: 200, body: { version: '1' } } : { status: 404 };
    assert.equal(await kindOf(server.url, never), 'gitea');
  });

  it('does not follow a redirect to another host', async () => {
    const other = await ScriptedServer.start({ status: 200, body: { version: '1' } });
    server.answers = [{ status: 302, headers: { location: `${other.url}/api/v1/version` } }];
    assert.equal(await kindOf(server.url, never), 'unknown');
    await other.close();
    assert.equal(other.connections, 0);
  });

  it('takes no long answer for that of a known host', async () => {
    const body = { version: '1', revision: 'a', text: 'x'.repeat(65_536) };
    server.answers = [{ status: 200, headers: { 'x-github-enterprise-version': '3.15' }, body }];
    assert.equal(await kindOf(server.url, never), 'unknown');
    assert.equal(await kindOf(server.url, never), 'unknown');
    assert.equal(server.requests.length, 3);
  });

  it('does not read an endless response', async () => {
    server.answers = [{ fault: 'endless' }];
    assert.equal(await kindOf(server.url, never), 'unknown');
  });
});
