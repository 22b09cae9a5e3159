import assert from 'node:assert/strict';
import { type NetworkProblem, diagnoseNetworkError } from '../../../src/protocol/errors';

describe('diagnoseNetworkError', () => {
  const table: Record<Exclude<NetworkProblem, 'login' | 'setting' | 'forbidden'>, string[]> = {
    name: ['ENOTFOUND', 'EAI_AGAIN'],
    refused: ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'],
    time: ['CONNECT_TIMEOUT', 'TIMEOUT', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
    authority: [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    host: ['ERR_TLS_CERT_ALTNAME_INVALID'],
    date: ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'],
    secure: ['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO', 'CERT_REVOKED', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
    lost: ['ECONNRESET', 'UND_ERR_SOCKET', 'LOST', ''],
  };
  for (const [problem, codes] of Object.entries(table)) {
    it(`recognizes “${problem}” at the service and at the proxy`, () => {
      for (const code of codes) {
        assert.deepEqual(diagnoseNetworkError(code), { at: 'service', problem }, code);
        assert.deepEqual(diagnoseNetworkError(`PROXY_${code}`), { at: 'proxy', problem }, code);
      }
    });
  }

  it('recognizes problems that only a proxy reports', () => {
    assert.deepEqual(diagnoseNetworkError('PROXY_LOGIN'), { at: 'proxy', problem: 'login' });
    assert.deepEqual(diagnoseNetworkError('PROXY_SETTING'), { at: 'proxy', problem: 'setting' });
    assert.deepEqual(diagnoseNetworkError('PROXY_STATUS_502'), { at: 'proxy', problem: 'forbidden', status: '502' });
    assert.deepEqual(diagnoseNetworkError('LOGIN'), { at: 'service', problem: 'lost' });
    assert.deepEqual(diagnoseNetworkError(undefined), { at: 'service', problem: 'lost' });
  });
});
