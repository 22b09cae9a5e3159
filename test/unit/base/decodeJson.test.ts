import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeJson } from '../../../src/base/json';
import { scaled, seed } from '../../support/scale';

describe('decodeJson', () => {
  it('decodes what JSON.parse decodes', () => {
    const text = fc.json({ maxDepth: 20 }).filter((each) => !each.includes('__proto__'));
    fc.assert(
      fc.property(text, (each) => assert.deepEqual(decodeJson(each), JSON.parse(each))),
      { seed, numRuns: scaled(500, 20_000) },
    );
  });

  it('returns undefined for invalid JSON', () => {
    for (const text of ['', '{', '<html>', '{"a":1}}', '"', '"\\', 'undefined']) {
      assert.equal(decodeJson(text), undefined, text);
    }
  });

  it('accepts at most 64 levels of nesting, ignoring brackets in strings', () => {
    const nested = (depth: number): string => '[{"a":'.repeat(depth / 2) + '"[[{{\\"[["' + '}]'.repeat(depth / 2);
    assert.notEqual(decodeJson(nested(64)), undefined);
    assert.equal(decodeJson(nested(66)), undefined);
    assert.equal(decodeJson('['.repeat(1_000_000)), undefined);
    assert.equal((decodeJson('[' + '[],'.repeat(1000) + '{}]') as unknown[]).length, 1001);
  });

  it('accepts at most 20,000 brackets and commas, ignoring those in strings', () => {
    const list = (commas: number): string => `[${'0,'.repeat(commas)}0]`;
    assert.equal((decodeJson(list(19_999)) as unknown[]).length, 20_000);
    assert.equal(decodeJson(list(20_000)), undefined);
    assert.equal(decodeJson(`{"a":[${'{},'.repeat(10_000)}{}]}`), undefined);
    assert.deepEqual([decodeJson('[1,2]', 2), decodeJson('[1,2,3]', 2)], [[1, 2], undefined]);
    assert.notEqual(decodeJson(JSON.stringify({ text: '[{,'.repeat(150_000) })), undefined);
  });

  it('drops __proto__, however it is escaped', () => {
    for (const name of ['__proto__', '\\u005f_proto__', '_\\u005Fproto\\u005f_']) {
      const value = decodeJson(`{"id":"j","${name}":{"polluted":true},"list":[{"${name}":1}]}`) as object;
      assert.deepEqual(Object.getOwnPropertyNames(value), ['id', 'list'], name);
      assert.equal((value as { polluted?: boolean }).polluted, undefined);
      assert.deepEqual(value, { id: 'j', list: [{}] });
    }
  });

  it('does not decode a long text with a member named __proto__, but one with such a text', () => {
    const long = 'x'.repeat(70_000);
    assert.equal(decodeJson(`{"a":"${long}","\\u005F_proto__" : 1}`), undefined);
    const value = { prompt: `${long} {"__proto__": 1} "__proto__"`, list: ['__proto__', '"__proto__":'] };
    assert.deepEqual(decodeJson(JSON.stringify(value)), value);
  });
});
