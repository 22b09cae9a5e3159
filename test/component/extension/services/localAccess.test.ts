import assert from 'node:assert/strict';
import type { Transport } from '../../../../src/client/transport';
import type { LocalAccess } from '../../../../src/extension/platform/localAccess';
import type { ServiceError } from '../../../../src/protocol/errors';
import { workspace } from '../../../support/fakeEditor';
import { type ScriptedAnswer, ScriptedServer } from '../../../support/scriptedServer';

const NO_ROOM = { status: 503, headers: { 'Retry-After': '1' }, body: { error: 'Too many requests.' } };

/** The service is a scripted server; the client is the real one. */
describe('LocalAccess', () => {
  const host = { host: 'git.example.org', kind: 'gitea' };
  // Loaded together so that they share the same error class.
  const load = async () => ({
    ...(await import('../../../../src/client/localServiceClient')),
    ...(await import('../../../../src/client/transport')),
    ...(await import('../../../../src/extension/platform/localAccess')),
    ...(await import('../../../../src/protocol/errors')),
  });
  let loaded: Awaited<ReturnType<typeof load>>;
  let server: ScriptedServer;
  let transport: Transport;
  let warnings: string[];
  let tokens: () => Promise<{ host: string; token: string }>;

  before(async () => {
    loaded = await load();
  });
  beforeEach(async () => {
    workspace['getConfiguration'] = () => ({ get: () => undefined });
    [server, transport, warnings] = [await ScriptedServer.start(), new loaded.Transport(), []];
    tokens = () => Promise.resolve({ host: host.host, token: 'secret' });
  });
  afterEach(async () => {
    await transport.dispose();
    await server.close();
  });

  const prepare = async (settings: ScriptedAnswer, token: ScriptedAnswer = { status: 204 }): Promise<void> => {
    const client = new loaded.LocalServiceClient(transport);
    const log = { info: () => undefined, error: () => undefined, warn: (text: string) => warnings.push(text) };
    const parts = { tokens: { find: () => tokens() }, client: () => Promise.resolve(client), log };
    const access = new loaded.LocalAccess(parts as unknown as ConstructorParameters<typeof LocalAccess>[0]);
    server.choose = ({ path }) => (path === '/local/tokens' ? token : settings);
    await access.prepare({ baseUrl: server.url, apiKey: 'local_key' }, 'p1');
  };
  const failure = async (...answers: Parameters<typeof prepare>): Promise<ServiceError> => {
    const error = await prepare(...answers).then(
      () => assert.fail('The prompt would go.'),
      (error: unknown) => error,
    );
    assert.ok(error instanceof loaded.ServiceError, String(error));
    return error;
  };

  it('sends the settings and the token to the service before a prompt is sent', async () => {
    await prepare({ body: { host, agent: null } });
    assert.deepEqual(
      server.requests.map(({ method, path }) => `${method} ${path}`),
      ['PUT /local/projects/p1/settings', 'PUT /local/tokens'],
    );
    assert.deepEqual(warnings, []);
  });

  const LOST: Record<string, ScriptedAnswer> = {
    'when the service has no room for another connection': NO_ROOM,
    'when the service has a fault': { status: 500, body: { error: 'broken' } },
    'when the connection breaks': { fault: 'reset' },
    'when the service refuses the settings': { status: 400, body: { error: 'Wrong: “agent”.' } },
    'when the service does not take the key': { status: 401, body: { error: 'key' } },
  };
  for (const [when, answer] of Object.entries(LOST)) {
    it(`delays a prompt ${when} so that it does not run under outdated settings`, async () => {
      const { kind, effect, code, detail } = await failure(answer);
      assert.deepEqual([kind, effect], ['unreachable', 'none']);
      assert.ok(code !== 'SETUP' || detail !== '');
    });
  }

  it('allows a prompt for a project that the service does not know, because the prompt’s answer says so', async () => {
    await prepare({ status: 404, body: { error: 'Project not found.' } });
    assert.deepEqual(warnings, []);
  });

  it('allows a prompt when the token cannot be read or is rejected, because the job reports it', async () => {
    await prepare({ body: { host, agent: null } }, { status: 400, body: { error: 'host' } });
    tokens = () => Promise.reject(new Error('locked'));
    await prepare({ body: { host, agent: null } });
    assert.equal(warnings.length, 2);
  });

  it('delays a prompt when the service did not handle the token', async () => {
    assert.equal((await failure({ body: { host, agent: null } }, NO_ROOM)).effect, 'none');
  });
});
