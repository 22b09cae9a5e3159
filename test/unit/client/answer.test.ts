import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseErrorBody, parseRetryAfter, readAnswer, toServiceError } from '../../../src/client/answer';
import { report, scaled, seed } from '../../support/scale';
import { type Effect, ServiceError, type ServiceErrorKind } from '../../../src/protocol/errors';

const NOW = Date.UTC(2026, 7, 1, 12);

function read(status: number, body: unknown, headers: Record<string, string> = {}): ReturnType<typeof readAnswer> {
  return readAnswer({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, NOW);
}

function failure(status: number, body: unknown, headers: Record<string, string> = {}): ServiceError {
  try {
    read(status, body, headers);
  } catch (error) {
    assert.ok(error instanceof ServiceError, `another error: ${String(error)}`);
    return error;
  }
  throw new assert.AssertionError({ message: `${status} was taken for a success` });
}

describe('readAnswer', () => {
  const table: [number, ServiceErrorKind, Effect][] = [
    [301, 'notUnderstood', 'unknown'],
    [304, 'notUnderstood', 'unknown'],
    [307, 'notUnderstood', 'unknown'],
    [400, 'rejected', 'refused'],
    [401, 'unauthorized', 'refused'],
    [402, 'forbidden', 'refused'],
    [403, 'forbidden', 'refused'],
    [404, 'notFound', 'refused'],
    [405, 'notUnderstood', 'refused'],
    [406, 'notUnderstood', 'refused'],
    [408, 'timeout', 'unknown'],
    [409, 'rejected', 'refused'],
    [410, 'notFound', 'refused'],
    [411, 'notUnderstood', 'refused'],
    [413, 'rejected', 'refused'],
    [414, 'notUnderstood', 'refused'],
    [415, 'notUnderstood', 'refused'],
    [417, 'notUnderstood', 'refused'],
    [418, 'notUnderstood', 'unknown'],
    [421, 'notUnderstood', 'unknown'],
    [422, 'rejected', 'refused'],
    [423, 'notUnderstood', 'refused'],
    [424, 'notUnderstood', 'refused'],
    [425, 'notUnderstood', 'unknown'],
    [426, 'notUnderstood', 'refused'],
    [428, 'notUnderstood', 'refused'],
    [429, 'limit', 'refused'],
    [431, 'notUnderstood', 'refused'],
    [451, 'forbidden', 'refused'],
    [500, 'unreachable', 'unknown'],
    [502, 'unreachable', 'unknown'],
    [503, 'unreachable', 'unknown'],
    [504, 'timeout', 'unknown'],
    [507, 'unreachable', 'refused'],
    [599, 'unreachable', 'unknown'],
  ];
  for (const [status, kind, effect] of table) {
    it(`maps status ${status} to ${kind}, effect ${effect}`, () => {
      const error = failure(status, { error: 'why' });
      assert.deepEqual([error.kind, error.effect, error.status, error.detail], [kind, effect, status, 'why']);
    });
  }

  it('takes 503 of the local service alone for a request that had no effect', () => {
    const told = (status: number, isLocal: boolean): unknown[] => {
      const { kind, effect, code, retryAfterMs } = toServiceError(
        { status, headers: { 'retry-after': '2' }, body: '' },
        NOW,
        isLocal,
      );
      return [kind, effect, code, retryAfterMs];
    };
    assert.deepEqual(told(503, true), ['unreachable', 'none', 'NOT_HANDLED', 2000]);
    assert.deepEqual(told(503, false), ['unreachable', 'unknown', undefined, 2000]);
    assert.deepEqual(told(500, true), ['unreachable', 'unknown', undefined, 2000]);
    assert.deepEqual(told(408, true), ['timeout', 'unknown', undefined, 2000]);
  });

  it('accepts a job with any success status and drops unknown fields', () => {
    const job = { id: 'j', status: 'active', prLink: null, error: 'x' };
    for (const status of [200, 201, 202, 299]) {
      assert.deepEqual(read(status, { ...job, later: { deep: [1] } }), job);
    }
  });

  it('requires a valid id and status of a job, and nothing else', () => {
    assert.deepEqual(read(200, { id: 'j', status: 'new word' }), { id: 'j', status: 'new word' });
    const lacking = [{ id: 'j' }, { status: 'active' }, { id: 7, status: 'active' }, { id: 'j', status: '' }];
    const unsafe = ['', '.', '..', 'a\nb', 'a\0', 'x'.repeat(513), '\ud800'].map((id) => ({ id, status: 'active' }));
    for (const body of [...lacking, ...unsafe, [], null, 'text', '', '<html>', '{"id":"j","status":"act']) {
      const error = failure(200, body);
      assert.deepEqual([error.kind, error.effect, error.code], ['notUnderstood', 'unknown', 'NO_JOB']);
    }
  });

  it('reads optional fields of another type as null', () => {
    const wrong = { source: 'git', model: 7, prLink: { url: 'x' }, createdAt: 'yesterday', archivedAt: 1 };
    const asNull = { source: null, model: null, prLink: null, createdAt: null, archivedAt: null };
    assert.deepEqual(read(200, { id: 'j', status: 's', ...wrong }), { id: 'j', status: 's', ...asNull });
    const source = { repository: 1, ref: 'main', host: 'forge' };
    assert.deepEqual(read(200, { id: 'j', status: 's', source }).source, { ref: 'main', repository: null });
  });

  it('prefers the wait in the header over the one in the body', () => {
    assert.equal(failure(429, { error: 'x', retryAfterSeconds: 7 }, { 'retry-after': '3' }).retryAfterMs, 3000);
    assert.equal(failure(429, { error: 'x', retryAfterSeconds: 7 }).retryAfterMs, 7000);
    assert.equal(failure(429, { error: 'x', retryAfterSeconds: 7 }, { 'retry-after': 'soon' }).retryAfterMs, 7000);
    assert.equal(failure(429, { error: 'x' }).retryAfterMs, undefined);
  });

  it('returns only waits that end at a representable date', () => {
    for (const seconds of [1e12, 1e306, Number.MAX_VALUE]) {
      const { retryAfterMs = NaN } = failure(429, { error: 'x', retryAfterSeconds: seconds });
      assert.ok(!Number.isNaN(new Date(NOW + retryAfterMs).getTime()), `${seconds} s`);
    }
  });

  it('does not let an answer set a prototype', () => {
    const job = read(200, '{"id":"j","status":"s","__proto__":{"polluted":true}}');
    assert.equal((job as { polluted?: unknown }).polluted, undefined);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});

describe('any answer', () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>('', '..', 'j', 'active', null, Number.MAX_VALUE, -1, [], {}),
  );
  const field = fc.constantFrom(
    'id',
    'status',
    'prLink',
    'source',
    'createdAt',
    'archivedAt',
    'model',
    'error',
    'details',
    'retryAfterSeconds',
  );
  const job = {
    id: 'j',
    status: 'active',
    source: { repository: 'r', ref: 'b' },
    prLink: null,
    createdAt: '2026-01-01T00:00:00Z',
  };
  const mutated = fc.dictionary(field, odd).map((changes) => JSON.stringify({ ...job, ...changes }));
  const cut = fc.tuple(mutated, fc.nat(200)).map(([text, at]) => text.slice(0, at));
  const body = fc.oneof(mutated, cut, fc.json(), fc.string(), fc.constantFrom('<html>', '{"__proto__":{"id":"x"}}'));
  const headers = fc.dictionary(fc.constantFrom('retry-after', 'content-type', 'location'), fc.string());

  it('becomes a job or a ServiceError with the effect that its status implies', () => {
    const runs = scaled(5000, 100_000);
    const known = [400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 413, 414, 415, 417, 422, 423, 424, 426, 428];
    const refused = new Set([...known, 429, 431, 451, 507]);
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), headers, body, (status, told, text) => {
        try {
          const read = readAnswer({ status, headers: told, body: text }, 0);
          assert.ok(status < 300);
          const sent = JSON.parse(text) as { id: unknown; status: unknown };
          assert.deepEqual([read.id, read.status], [sent.id, sent.status]);
        } catch (error) {
          assert.ok(error instanceof ServiceError, String(error));
          assert.equal(error.effect, refused.has(status) ? 'refused' : 'unknown');
          assert.ok(error.retryAfterMs === undefined || error.retryAfterMs >= 0);
        }
      }),
      { seed, numRuns: runs },
    );
    report({ promise: 'C3', what: `${runs} mutated answers (seed ${seed})`, figure: '0 uncaught, 0 wrong ends' });
  });
});

const readBody = (body: unknown): ReturnType<typeof parseErrorBody> => parseErrorBody(JSON.stringify(body));

describe('the body of an error', () => {
  it('reads a plain error', () => {
    assert.deepEqual(readBody({ error: 'no prompt' }), { detail: 'no prompt', retryAfterSeconds: undefined });
  });

  it('reads an error with details', () => {
    const details = [{ message: 'too short' }, { message: 'too old', field: 'x' }];
    assert.equal(readBody({ error: 'Bad request', details }).detail, 'Bad request: too short: too old');
  });

  it('ignores any other text', () => {
    for (const text of [
      '',
      '<html><h1>502</h1></html>',
      'Bad gateway',
      'null',
      '[]',
      '{"message":"x"}',
      '{"error":{}}',
    ]) {
      assert.deepEqual(parseErrorBody(text), { detail: '' }, text);
    }
  });

  it('reads the wait and skips parts that it does not understand', () => {
    assert.equal(readBody({ error: 'x', retryAfterSeconds: 1.5 }).retryAfterSeconds, 1.5);
    for (const retryAfterSeconds of [-1, '5', null, {}]) {
      const body = readBody({ error: 'x', retryAfterSeconds, details: 'none' });
      assert.deepEqual(body, { detail: 'x', retryAfterSeconds: undefined });
    }
    assert.equal(parseErrorBody('{"error":"x","retryAfterSeconds":1e999}').retryAfterSeconds, undefined);
  });

  it('limits the length of a detail for any input', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000, size: 'max' }), fc.array(fc.string()), (error, messages) => {
        const { detail } = readBody({ error, details: messages.map((message) => ({ message })) });
        assert.ok(detail.length <= 500 && detail.startsWith(error.slice(0, 500)));
      }),
    );
  });
});

const SENT = Date.UTC(1994, 10, 6, 8, 49, 7);

describe('Retry-After', () => {
  it('reads seconds', () => {
    assert.equal(parseRetryAfter('0', SENT), 0);
    assert.equal(parseRetryAfter(' 120 ', SENT), 120_000);
    assert.equal(parseRetryAfter(['3', '9'], SENT), 3000);
  });

  it('reads the three forms of an HTTP date', () => {
    for (const date of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ]) {
      assert.equal(parseRetryAfter(date, SENT), 30_000, date);
    }
  });

  it('treats a date in the past as no wait', () => {
    assert.equal(parseRetryAfter('Sun, 06 Nov 1994 08:00:00 GMT', SENT), 0);
  });

  it('measures a date from the date of the answer, if there is one', () => {
    const retry = 'Sun, 06 Nov 1994 08:49:37 GMT';
    for (const now of [SENT - 31_536_000_000, SENT, SENT + 31_536_000_000]) {
      assert.equal(parseRetryAfter(retry, now, 'Sun, 06 Nov 1994 08:49:27 GMT'), 10_000);
      assert.equal(parseRetryAfter('7', now, 'Sun, 06 Nov 1994 08:49:27 GMT'), 7000);
    }
    assert.equal(parseRetryAfter(retry, SENT, 'some day'), 30_000);
    assert.equal(parseRetryAfter(retry, SENT, 'Sun, 06 Nov 1994 10:00:00 GMT'), 0);
  });

  it('returns undefined for anything else', () => {
    for (const value of [undefined, '', ' ', 'soon', 'soon 5', '-5', '1.5', '1e3', '0x10', '120 seconds', 'Sun', []]) {
      assert.equal(parseRetryAfter(value, SENT), undefined, String(value));
    }
  });

  it('returns a wait that ends at a representable date, or nothing, for any input', () => {
    const digits = fc.integer({ min: 1, max: 400 }).map((count) => '9'.repeat(count));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), digits, fc.date().map(String)), (value) => {
        const wait = parseRetryAfter(value, SENT);
        assert.ok(wait === undefined || (wait >= 0 && !Number.isNaN(new Date(SENT + wait).getTime())), String(wait));
      }),
    );
  });
});
