import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Hono } from 'hono';
import { HttpError } from '../../../../src/local-service/http/httpError';
import {
  guardPost,
  isEqualInConstantTime,
  PAGE_TOKEN_HEADER,
  ReviewAccess,
} from '../../../../src/local-service/http/reviewAccess';
import { ManualClock } from '../../../support/manualClock';

const HOST = '127.0.0.1:4000';
const access = new ReviewAccess(new ManualClock());
const token = access.tokenOf('j1');
const own = { Host: HOST, Origin: `http://${HOST}`, [PAGE_TOKEN_HEADER]: token, 'Sec-Fetch-Site': 'same-origin' };

const app = new Hono();
app.post('/', (context) => {
  guardPost(context, token);
  return context.text('in');
});
app.onError((error, context) => context.text(error.message, error instanceof HttpError ? error.status : 500));

const statusOf = async (headers: Record<string, string>): Promise<number> =>
  (await app.request('/', { method: 'POST', headers })).status;
const without = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(own).filter(([each]) => each !== name));

describe('guardPost', () => {
  it('accepts the page’s requests, even from a browser that does not send Sec-Fetch-Site', async () => {
    assert.equal(await statusOf(own), 200);
    assert.equal(await statusOf(without('Sec-Fetch-Site')), 200);
    assert.equal(await statusOf({ ...own, Host: 'localhost:4000', Origin: 'http://localhost:4000' }), 200);
  });

  const wrong: Record<string, Record<string, string>> = {
    'no origin': without('Origin'),
    'no origin and no site, as from a program': { Host: HOST, [PAGE_TOKEN_HEADER]: token },
    'an origin that is null': { ...own, Origin: 'null' },
    'another origin': { ...own, Origin: 'http://evil.example' },
    'another port': { ...own, Origin: 'http://127.0.0.1:4001' },
    'another scheme': { ...own, Origin: `https://${HOST}` },
    'the other name of this machine': { ...own, Origin: 'http://localhost:4000' },
    'an origin with a path': { ...own, Origin: `http://${HOST}/` },
    'two origins': { ...own, Origin: `http://${HOST}, http://evil.example` },
    'a request across sites': { ...own, 'Sec-Fetch-Site': 'cross-site' },
    'a request of the same site': { ...own, 'Sec-Fetch-Site': 'same-site' },
    'a request of no page': { ...own, 'Sec-Fetch-Site': 'none' },
    'no token': without(PAGE_TOKEN_HEADER),
    'an empty token': { ...own, [PAGE_TOKEN_HEADER]: '' },
    'the token of another job': { ...own, [PAGE_TOKEN_HEADER]: access.tokenOf('j2') },
    'the cookie in place of the token': { ...own, [PAGE_TOKEN_HEADER]: access.cookieOf('j1') },
    'the token of an earlier process': {
      ...own,
      [PAGE_TOKEN_HEADER]: new ReviewAccess(new ManualClock()).tokenOf('j1'),
    },
  };
  for (const [name, headers] of Object.entries(wrong)) {
    it(`rejects ${name}`, async () => {
      assert.equal(await statusOf(headers), 403);
    });
  }

  it('compares tokens exactly', () => {
    const text = fc.string({ minLength: 1 });
    fc.assert(fc.property(text, text, (one, other) => isEqualInConstantTime(one, other) === (one === other)));
    assert.ok(!isEqualInConstantTime('', ''));
  });
});
