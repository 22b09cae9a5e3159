import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { decodeJson } from '../../../src/base/json';
import { maxLength, minLength } from '../../../src/base/lengthChecks';
import { MAX_JSON_PARTS } from '../../../src/base/limits';
import { ConfigurationError, readConfiguration } from '../../../src/checks/configuration';
import { parseErrorBody, readAnswer } from '../../../src/client/answer';
import { pullsSchema } from '../../../src/local-service/forges/forge';
import { changesSchema, diffSchema } from '../../../src/protocol/changes';
import { parseJob } from '../../../src/protocol/job';
import {
  agentsAnswerSchema,
  mergePreviewSchema,
  registerProjectSchema,
  storageAnswerSchema,
} from '../../../src/protocol/localService';
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

const text = z.string().check(minLength(2), maxLength(3));
const list = z.array(z.unknown()).check(minLength(2), maxLength(3));

/** JSON can express it, and it can't be compared with a number. */
const incomparable = { length: { toString: 1, valueOf: 1 } };

describe('length checks', () => {
  it('accept text and arrays within the limits only', () => {
    for (const [schema, values] of [
      [text, ['a', 'ab', 'abc', 'abcd']],
      [list, [[1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]],
    ] as const) {
      assert.deepEqual(
        values.map((value) => z.safeParse(schema, value).success),
        [false, true, true, false],
      );
    }
  });

  it('reject every other value without an error', () => {
    for (const schema of [text, list]) {
      for (const value of [incomparable, { length: 2 }, { length: 9 }, null, 2]) {
        assert.equal(z.safeParse(schema, value).success, false);
      }
    }
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ length: fc.anything() })), (value) => {
        z.safeParse(text, value);
        z.safeParse(list, value);
      }),
    );
  });

  it('let any answer be read or rejected as not understood', () => {
    assert.equal(parseJob({ id: 'j1', status: incomparable }), undefined);
    const body = JSON.stringify({ id: 'j1', status: incomparable });
    assert.throws(() => readAnswer({ status: 201, headers: {}, body }, 0), {
      kind: 'notUnderstood',
      effect: 'unknown',
    });
    const coded = { error: { code: 'c', params: { name: incomparable } } };
    assert.equal(parseErrorBody(JSON.stringify({ error: 'No', coded })).detail, 'No');
  });
});

describe('schemas for external data', () => {
  it('are never asked to report more invalid values than they can', () => {
    for (const json of [`[${'0,'.repeat(MAX_JSON_PARTS)}0]`, `[${'{},'.repeat(MAX_JSON_PARTS)}{}]`]) {
      assert.equal(decodeJson(json), undefined);
    }
  });

  const many = Array.from({ length: MAX_JSON_PARTS }, () => null);
  const members = Object.fromEntries(many.map((value, index) => [String(index), value]));
  const text = { code: 'plain', params: members };
  const inputs: Readonly<Record<string, () => unknown>> = {
    job: () => parseJob({ id: 'j1', status: 'active', coded: { error: text } }),
    'note of a job': () =>
      parseJob({ id: 'j1', status: 'active', coded: { note: { code: 'plain', params: { text } } } }),
    'list of pull requests': () => pullsSchema.safeParse(many),
    'list of changed files': () => changesSchema.safeParse({ files: many, rounds: many }),
    diff: () => diffSchema.safeParse({ files: many }),
    'list of agents': () => agentsAnswerSchema.safeParse({ agents: many }),
    'missing agent': () => agentsAnswerSchema.safeParse({ agents: [{ coded: text }] }),
    'list of job folders': () => storageAnswerSchema.safeParse({ jobs: many }),
    'forecast of a merge': () => mergePreviewSchema.safeParse({ coded: text }),
    'list of arguments': () => registerProjectSchema.safeParse({ settings: { command: many, variables: many } }),
  };
  for (const [name, read] of Object.entries(inputs)) {
    it(`read a ${name} with any number of invalid elements without an error`, () => {
      read();
    });
  }

  it('reject a long list of invalid elements in a repository’s settings with a clear error', () => {
    const names = JSON.stringify({ ignore: many.slice(0, 5_000) });
    assert.throws(() => readConfiguration(names), ConfigurationError);
  });
});
