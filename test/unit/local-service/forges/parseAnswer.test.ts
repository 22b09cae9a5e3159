import assert from 'node:assert/strict';
import { parseAnswer } from '../../../../src/local-service/forges/forge';

describe('an answer of a Git host', () => {
  it('is not parsed if it consists of more values than any host sends', () => {
    assert.deepEqual(parseAnswer('[{"a":[1,2]}]'), [{ a: [1, 2] }]);
    for (const part of ['0,', '{"a":0},', '[[]],']) {
      assert.throws(() => parseAnswer(`[${part.repeat(30_000)}0]`), /too many parts/);
    }
    assert.throws(() => parseAnswer('<html>'), SyntaxError);
  });

  it('may contain long texts', () => {
    const body = { body: 'One, two, and three. '.repeat(10_000) };
    assert.deepEqual(parseAnswer(JSON.stringify(body)), body);
  });
});
