import assert from 'node:assert/strict';
import { LocalServiceClient } from '../../../src/client/localServiceClient';
import { Transport } from '../../../src/client/transport';
import { ServiceError } from '../../../src/shared/protocol/serviceError';
import { ScriptedServer } from '../../support/scriptedServer';

describe('LocalServiceClient', () => {
  const project = { folder: '/home/me/docs', agentCommand: ['agent', '--flag'] };
  let server: ScriptedServer;
  let transport: Transport;
  let client: LocalServiceClient;

  beforeEach(async () => {
    server = await ScriptedServer.start();
    transport = new Transport();
    client = new LocalServiceClient(transport);
  });

  afterEach(async () => {
    await transport.dispose();
    await server.close();
  });

  const target = (): { baseUrl: string; apiKey: string } => ({ baseUrl: server.url, apiKey: 'local_key' });

  it('registers a folder and returns its project', async () => {
    const registered = { projectId: 'docs-1', name: 'docs', dirty: true };
    server.answers = [{ body: registered }];
    assert.deepEqual(await client.registerProject(target(), project), registered);
    const [seen] = server.requests;
    assert.deepEqual([seen?.method, seen?.path], ['PUT', '/local/projects']);
    assert.equal(seen?.headers.authorization, 'Bearer local_key');
    assert.deepEqual(JSON.parse(seen.body), project);
  });

  for (const [status, body, kind] of [
    [400, { error: 'not a repository' }, 'rejected'],
    [401, { error: 'key' }, 'unauthorized'],
    [500, 'oops', 'notUnderstood'],
    [200, { projectId: '../x', name: 'n', dirty: false }, 'notUnderstood'],
    [200, '<html>', 'notUnderstood'],
  ] as const) {
    it(`takes ${status} ${JSON.stringify(body)} for ${kind}`, async () => {
      server.answers = [{ status, body }];
      await assert.rejects(client.registerProject(target(), project), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.deepEqual([error.kind, error.status], [kind, status]);
        return true;
      });
      assert.equal(server.requests.length, 1);
    });
  }

  it('asks the service to end, and tells when it does not agree', async () => {
    server.answers = [{ status: 202 }, { status: 401, body: { error: 'key' } }];
    await client.shutdown(target());
    assert.deepEqual([server.requests[0]?.method, server.requests[0]?.path], ['POST', '/local/shutdown']);
    await assert.rejects(client.shutdown(target()), { name: 'ServiceError', kind: 'unauthorized' });
  });
});
