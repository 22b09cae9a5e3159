import assert from 'node:assert/strict';
import { createSecureContext } from 'node:tls';
import { httpRequest } from '../../../../src/local-service/forges/forgeHttp';
import { Authority } from '../../../support/certificates';
import { FaultProxy } from '../../../support/faultProxy';
import { ScriptedServer } from '../../../support/scriptedServer';

describe('httpRequest', () => {
  const toClose: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(toClose.splice(0).map((close) => close())));

  it('checks the certificate of an IPv6 host against the address without its brackets', async () => {
    const authority = await Authority.make();
    const server = await ScriptedServer.startSecure(await authority.issue({ hosts: ['x.example', '2001:db8::1'] }), {});
    toClose.push(() => server.close());
    const proxy = await FaultProxy.start({ port: Number(new URL(server.url).port) });
    toClose.push(() => proxy.close());
    const outcome: unknown = await httpRequest(new URL('https://[2001:db8::1]/'), {
      method: 'GET',
      headers: {},
      signal: AbortSignal.timeout(30_000),
      secureContext: createSecureContext({ ca: authority.pem }),
      proxy: { origin: proxy.url, authorization: undefined },
    }).catch((error: unknown) => error);
    const { statusCode, host } = outcome as { statusCode?: number; host?: string };
    // Some Node versions, such as 24.18, treat the address as a host name and reject the certificate.
    assert.ok(statusCode === 200 || host === '2001:db8::1', String(outcome));
    assert.deepEqual(
      proxy.connects.map(({ authority: asked }) => asked),
      ['[2001:db8::1]:443'],
    );
  });
});
