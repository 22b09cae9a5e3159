import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { readAbilities } from '../../../src/client/serviceAbilities';
import { Transport } from '../../../src/client/transport';
import { openApiDocument } from '../../../src/local-service/http/openApi';
import { ScriptedServer } from '../../support/scriptedServer';

describe('abilities of a hosted service', () => {
  let server: ScriptedServer;
  const transport = new Transport();
  before(async () => {
    server = await ScriptedServer.start();
  });
  after(async () => {
    await transport.dispose();
    await server.close();
  });

  const abilities = async (body: unknown, status = 200): Promise<string[]> => {
    server.choose = () => ({ status, body: body });
    return [...(await readAbilities(transport, `${server.url}/api`))];
  };

  it('are those in its OpenAPI document, which is read without a key', async () => {
    deepStrictEqual(await abilities(openApiDocument()), ['follow', 'cancel', 'archive']);
    const [request] = server.requests;
    deepStrictEqual([request?.method, request?.path], ['GET', '/api/openapi.json']);
    strictEqual(request?.headers.authorization, undefined);
    const paths = { '/v2/agent/{projectId}/job/{jobId}/cancel': { post: {} } };
    deepStrictEqual(await abilities({ paths }), ['cancel']);
    deepStrictEqual(await abilities({ paths: { '/v2/agent/{projectId}/job/{jobId}/cancel': { get: {} } } }), []);
  });

  it('are empty without such a document', async () => {
    for (const body of [
      [],
      {},
      { paths: 7 },
      { paths: { '/v2/agent/{projectId}/job/{jobId}/cancel': null } },
      'text',
    ]) {
      deepStrictEqual(await abilities(body), []);
    }
    deepStrictEqual(await abilities(openApiDocument(), 404), []);
    deepStrictEqual(await abilities(openApiDocument(), 302), []);
  });

  it('are unknown if the document is too large', async () => {
    await rejects(abilities({ text: 'x'.repeat(2_000_000) }), { kind: 'notUnderstood', code: 'TOO_LARGE' });
  });
});
