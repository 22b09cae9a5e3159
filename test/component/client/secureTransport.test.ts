import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transport } from '../../../src/client/transport';
import { ServiceError } from '../../../src/protocol/errors';
import { ScriptedServer } from '../../support/scriptedServer';

/** A self-signed key and certificate for 127.0.0.1; undefined if `openssl` is not available. */
function selfSigned(): { key: string; cert: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  try {
    execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('Transport over TLS', () => {
  it('sends nothing to a server with an untrusted certificate', async function () {
    const certificate = selfSigned();
    if (certificate === undefined) {
      this.skip();
    }
    const server = await ScriptedServer.startSecure(certificate, { body: { id: 'j', status: 'active' } });
    const transport = new Transport();
    try {
      const headers = { authorization: 'Bearer mint_canary' };
      await assert.rejects(transport.send({ method: 'POST', url: server.url, headers, body: '{}' }), (error) => {
        assert.ok(error instanceof ServiceError);
        const facts = [error.kind, error.effect, error.code];
        assert.deepEqual(facts, ['unreachable', 'none', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
        return true;
      });
      assert.equal(server.requests.length, 0);
    } finally {
      await transport.dispose();
      await server.close();
    }
  });

  it('reports that nothing was sent when the server does not use TLS', async () => {
    const server = await ScriptedServer.start({ body: '' });
    const transport = new Transport();
    try {
      const url = server.url.replace('http:', 'https:');
      await assert.rejects(
        transport.send({ method: 'POST', url, headers: {}, body: '{}' }),
        (error) => error instanceof ServiceError && error.kind === 'unreachable' && error.effect === 'none',
      );
      assert.equal(server.requests.length, 0);
    } finally {
      await transport.dispose();
      await server.close();
    }
  });
});
