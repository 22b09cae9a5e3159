import { deepStrictEqual, rejects } from 'node:assert/strict';
import { type PreviewStatus, readPreviewStatus, startPreview } from '../../../src/client/previews';
import { Transport } from '../../../src/client/transport';
import { scriptedPreviews } from '../../support/scriptedPreviews';
import { ScriptedServer } from '../../support/scriptedServer';

const URL = 'https://acme-docs-7.preview.example';

describe('previews of the hosted service', () => {
  let server: ScriptedServer;
  const transport = new Transport();
  before(async () => {
    server = await ScriptedServer.start();
  });
  after(async () => {
    await transport.dispose();
    await server.close();
  });

  const target = (): { baseUrl: string; projectId: string; apiKey: string } => ({
    baseUrl: `${server.url}/api`,
    projectId: 'docs/1',
    apiKey: 'secret',
  });

  it('are started for a branch, and report their status until they are done', async () => {
    const answers = scriptedPreviews(URL);
    server.choose = (seen) => answers(seen) ?? { status: 404 };
    const preview = await startPreview(transport, target(), 'docs/limits');
    deepStrictEqual(preview, { statusId: 'status-of-docs/limits', previewUrl: URL });
    const statuses: PreviewStatus[] = [];
    while (statuses.at(-1) !== 'success') {
      statuses.push(await readPreviewStatus(transport, target(), preview.statusId));
    }
    deepStrictEqual(statuses, ['building', 'building', 'success']);
    const [first, second] = server.requests;
    deepStrictEqual([first?.method, first?.path], ['POST', '/api/v1/project/preview/docs%2F1']);
    deepStrictEqual(JSON.parse(first?.body ?? ''), { branch: 'docs/limits' });
    deepStrictEqual(first?.headers.authorization, 'Bearer secret');
    deepStrictEqual(second?.path, '/api/v1/project/update-status/status-of-docs%2Flimits');
  });

  it('are rejected if the plan has none, a limit is reached, or a response is malformed', async () => {
    const answers = scriptedPreviews(URL, { hasPreviews: false });
    server.choose = (seen) => answers(seen) ?? { status: 404 };
    const detail = 'Previews are part of another plan.';
    await rejects(startPreview(transport, target(), 'b'), { kind: 'forbidden', status: 403, detail });
    server.choose = () => ({ status: 202, body: { statusId: '..', previewUrl: URL } });
    await rejects(startPreview(transport, target(), 'b'), { kind: 'notUnderstood' });
    server.choose = () => ({ body: { status: 7 } });
    await rejects(readPreviewStatus(transport, target(), 's'), { kind: 'notUnderstood' });
    server.choose = () => ({ status: 429, headers: { 'retry-after': '20' } });
    await rejects(startPreview(transport, target(), 'b'), { kind: 'limit', retryAfterMs: 20_000 });
  });
});
