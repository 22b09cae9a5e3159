import assert, { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { toEnglish } from '../../../src/local-service/codedText';
import { fillIn } from '../../../src/base/text';
import { coded, type CodedText, renderText } from '../../../src/protocol/codedText';
import { diagnoseNetworkError, type NetworkProblem } from '../../../src/protocol/errors';
import { codedField, codedTextSchema } from '../../../src/protocol/fieldSchemas';
import { isReviewLink, possibleProjectIds, projectIdOf, reviewPath } from '../../../src/protocol/localIds';
import { LOCAL_ID } from '../../../src/protocol/localService';
import { pathOf } from '../../../src/protocol/routes';
import { isPathSafeId } from '../../../src/protocol/status';

const nested = coded('agentMissing', {
  how: coded('agentNotInstalled', {
    title: 'Goose',
    program: 'goose',
    get: coded('getAtAddress', { address: 'https://example.org/{title}' }),
  }),
});

describe('coded text', () => {
  it('is rendered in English and in German, with nested texts', async () => {
    strictEqual(
      toEnglish(nested),
      'Goose isn’t installed: “goose” wasn’t found. To install it, see https://example.org/{title}. Or choose another agent (docsAgent.local.agent, or --agent).',
    );
  });

  for (const [title, text] of [
    ['a code of a newer version', { code: 'ofTheFuture' }],
    ['the name of a method', { code: 'toString' }],
    ['a code without its parameters', { code: 'hostSilent', params: { name: 'x' } }],
    ['one that holds such a text', { code: 'saying', params: { text: { code: 'ofTheFuture' }, words: 'x' } }],
  ] satisfies [string, CodedText][]) {
    it(`is not rendered when it is ${title}`, () => {
      strictEqual(renderText(text, fillIn), undefined);
      deepStrictEqual(codedTextSchema.parse(text), text);
    });
  }

  it('has parameters of limited length', () => {
    const { params } = coded('plain', { text: 'x'.repeat(9_000) });
    deepStrictEqual(params, { text: `${'x'.repeat(1_999)}…` });
  });

  it('is dropped from an answer if its form is unknown or it is nested too deeply', () => {
    let deep = coded('plain', { text: 'x' });
    for (let depth = 0; depth < 6; depth++) {
      deep = coded('plain', { text: deep });
    }
    for (const value of [7, 'text', [], { params: {} }, { code: 'plain', params: { text: null } }, deep]) {
      strictEqual(codedField.parse(value), undefined);
    }
  });
});

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

describe('projectIdOf', () => {
  it('contains the folder name and is unique for folders of the same name', () => {
    assert.match(projectIdOf('/home/robin/My Docs'), /^my-docs-[0-9a-f]{10}$/);
    assert.notEqual(projectIdOf('/a/docs'), projectIdOf('/b/docs'));
    assert.equal(projectIdOf('/a/docs'), projectIdOf('/a/docs'));
  });

  it('is among the possible ids of each folder in the repository', () => {
    assert.ok(possibleProjectIds('/home/robin/docs').includes(projectIdOf('/home/robin/docs')));
    assert.ok(possibleProjectIds('/home/robin/docs/guide/setup').includes(projectIdOf('/home/robin/docs')));
    assert.ok(!possibleProjectIds('/home/robin').includes(projectIdOf('/home/robin/docs')));
  });

  it('returns a valid id for any folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => {
        assert.match(projectIdOf(`/home/${name}`), LOCAL_ID);
      }),
    );
  });
});

const ID = '0123456789abcdef';
const BARE = `http://127.0.0.1:4100/review/${ID}`;

const OTHERS = [
  'https://github.com/acme/docs/pull/12',
  'http://127.0.0.1:3000/review/pulls/12',
  `http://127.0.0.1:4100/owner/repo/pulls/${ID}`,
  `https://127.0.0.1:4100/review/${ID}`,
  `http://127.0.0.1.evil.example:4100/review/${ID}`,
  `http://evil.example/review/${ID}`,
  `${BARE}?next=https://evil.example`,
  `${BARE}/state`,
  // Matches the pattern but is not a valid URL, because the port is too high.
  `http://127.0.0.1:99999/review/another`,
  '',
];

describe('review page address', () => {
  it('is recognized', () => {
    assert.equal(isReviewLink(BARE, ID), true);
    assert.equal(isReviewLink(BARE, 'another'), false);
    assert.deepEqual(
      OTHERS.filter((link) => isReviewLink(link, ID)),
      [],
    );
    assert.equal(new URL(reviewPath(ID), BARE).href, BARE);
  });
});

describe('routes', () => {
  it('are the paths of the service', () => {
    assert.equal(pathOf('createJob', { projectId: 'p' }), '/v2/agent/p/job');
    assert.equal(pathOf('retrieveJob', { projectId: 'p', jobId: 'j' }), '/v2/agent/p/job/j');
    assert.equal(pathOf('sendMessage', { projectId: 'p', jobId: 'j' }), '/v2/agent/p/job/j/message');
  });

  it('encode safe ids as path segments and reject all others', () => {
    const anyId = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('.', '..', '%2e%2e', '\udbff'));
    fc.assert(
      fc.property(anyId, anyId, (project, job) => {
        const path = () => pathOf('sendMessage', { projectId: project, jobId: job });
        if (!isPathSafeId(project) || !isPathSafeId(job)) {
          assert.throws(path, RangeError);
          return;
        }
        const { pathname, search, hash } = new URL(`https://h${path()}`);
        const parts = pathname.split('/').map(decodeURIComponent);
        assert.deepEqual([parts, search, hash], [['', 'v2', 'agent', project, 'job', job, 'message'], '', '']);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('isPathSafeId', () => {
  it('accepts any id of up to 512 characters that is valid in a path', () => {
    for (const id of ['a', '...', '.a', 'ä/ö?#%', ' ', '🚀', 'x'.repeat(512)]) {
      assert.equal(isPathSafeId(id), true, id);
    }
    for (const id of ['', '.', '..', '\0', 'a\nb', '\x7f', '\u009f', '\ud83d', 'x'.repeat(513)]) {
      assert.equal(isPathSafeId(id), false, JSON.stringify(id));
    }
  });
});
