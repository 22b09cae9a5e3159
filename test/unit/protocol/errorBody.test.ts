import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseErrorBody } from '../../../src/protocol/errorBody';

const read = (body: unknown): ReturnType<typeof parseErrorBody> => parseErrorBody(JSON.stringify(body));

describe('parseErrorBody', () => {
  it('reads a plain error', () => {
    assert.deepEqual(read({ error: 'no prompt' }), { detail: 'no prompt', retryAfterSeconds: undefined });
  });

  it('reads an error with details', () => {
    const details = [{ message: 'too short' }, { message: 'too old', field: 'x' }];
    assert.equal(read({ error: 'Bad request', details }).detail, 'Bad request: too short: too old');
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
    assert.equal(read({ error: 'x', retryAfterSeconds: 1.5 }).retryAfterSeconds, 1.5);
    for (const retryAfterSeconds of [-1, '5', null, {}]) {
      const body = read({ error: 'x', retryAfterSeconds, details: 'none' });
      assert.deepEqual(body, { detail: 'x', retryAfterSeconds: undefined });
    }
    assert.equal(parseErrorBody('{"error":"x","retryAfterSeconds":1e999}').retryAfterSeconds, undefined);
  });

  it('limits the length of a detail for any input', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000, size: 'max' }), fc.array(fc.string()), (error, messages) => {
        const { detail } = read({ error, details: messages.map((message) => ({ message })) });
        assert.ok(detail.length <= 500 && detail.startsWith(error.slice(0, 500)));
      }),
    );
  });
});
