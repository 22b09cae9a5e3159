import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readAnswer, toServiceError } from '../../../src/client/answer';
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

  it('ignores the text of an HTML page', () => {
    assert.equal(failure(502, '<html><body>Bad gateway</body></html>').detail, '');
    assert.equal(failure(429, '').detail, '');
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

  it('turns any JSON into a job or a “not understood” error', () => {
    const field = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }));
    const nearJob = fc.record(
      { id: field, status: field, source: field, model: field, prLink: field, createdAt: field, archivedAt: field },
      { requiredKeys: [] },
    );
    const body = fc.oneof(fc.jsonValue(), nearJob, fc.constant(JSON.parse('{"__proto__":{"id":"j","status":"s"}}')));
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 299 }), body, (status, value) => {
        const text = JSON.stringify(value);
        try {
          const job = readAnswer({ status, headers: {}, body: text }, NOW);
          const { id, status: told } = JSON.parse(text) as { id: unknown; status: unknown };
          assert.deepEqual([job.id, job.status], [id, told]);
        } catch (error) {
          assert.ok(error instanceof ServiceError);
          assert.equal(error.kind, 'notUnderstood');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('rejects an answer that is nested more than 64 levels deep', () => {
    const nested = (depth: number): string => `{"id":"j","status":"s","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    assert.equal(read(200, nested(63)).id, 'j');
    assert.equal(failure(200, nested(64)).kind, 'notUnderstood');
    assert.equal(failure(200, nested(400_000)).kind, 'notUnderstood');
    assert.equal(failure(401, nested(400_000)).kind, 'unauthorized');
  });

  it('does not let an answer set a prototype', () => {
    const job = read(200, '{"id":"j","status":"s","__proto__":{"polluted":true}}');
    assert.equal((job as { polluted?: unknown }).polluted, undefined);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});
