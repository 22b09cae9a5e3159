import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { arrayOf, listOf, maxLength, minLength, smallOnly } from '../../../src/base/lengthChecks';
import { ConfigurationError, readConfiguration } from '../../../src/checks/configuration';
import { readAnswer } from '../../../src/client/answer';
import { permissionSchema, sessionModesSchema, updateSchema } from '../../../src/local-service/agents/acpMessages';
import { pullsSchema } from '../../../src/local-service/forges/forge';
import { changesSchema } from '../../../src/protocol/changes';
import { diffSchema } from '../../../src/protocol/diff';
import { parseErrorBody } from '../../../src/protocol/errorBody';
import { parseJob } from '../../../src/protocol/job';
import {
  agentsAnswerSchema,
  mergePreviewSchema,
  registerProjectSchema,
  storageAnswerSchema,
} from '../../../src/protocol/localService';

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
  it('read only the first elements of a list', () => {
    const schema = listOf(z.string(), 2);
    assert.deepEqual(z.parse(schema, ['a', 'b']), ['a', 'b']);
    assert.deepEqual(z.parse(schema, ['a', 'b', 1]), ['a', 'b']);
    assert.equal(z.safeParse(schema, ['a', 1]).success, false);
    assert.equal(z.safeParse(schema, undefined).success, false);
    assert.equal(z.parse(z.optional(schema), undefined), undefined);
  });

  it('reject a list with too few or too many elements', () => {
    const schema = arrayOf(z.string(), 2, 1);
    assert.deepEqual(
      [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], 'a', undefined].map((value) => z.safeParse(schema, value).success),
      [false, true, true, false, false, false],
    );
    const { minItems, maxItems, items } = z.toJSONSchema(schema, { io: 'input' });
    assert.deepEqual([minItems, maxItems, items], [1, 2, { type: 'string' }]);
  });

  it('count members and elements at any depth', () => {
    const schema = smallOnly(z.unknown(), 3);
    assert.equal(z.safeParse(schema, { a: [1, 2] }).success, true);
    assert.equal(z.safeParse(schema, { a: [1, 2, 3] }).success, false);
  });

  // The library throws when it has to report that many.
  const many = Array.from({ length: 300_000 }, () => null);
  const members = Object.fromEntries(many.map((value, index) => [String(index), value]));
  const text = { code: 'plain', params: members };
  const toolCall = { sessionUpdate: 'tool_call', toolCallId: 'a' };
  const inputs: Readonly<Record<string, () => unknown>> = {
    job: () => parseJob({ id: 'j1', status: 'active', coded: { error: text } }),
    'note of a job': () =>
      parseJob({ id: 'j1', status: 'active', coded: { note: { code: 'plain', params: { text } } } }),
    'plan of an agent': () => updateSchema.safeParse({ sessionUpdate: 'plan', entries: many }),
    'call of an agent': () => updateSchema.safeParse({ ...toolCall, locations: many, content: many }),
    'request of an agent': () => permissionSchema.safeParse({ toolCall, options: many }),
    'modes of an agent': () => sessionModesSchema.safeParse({ modes: { currentModeId: 'a', availableModes: many } }),
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

  it('reject overlong lists in a repository’s settings with a clear error', () => {
    const names = JSON.stringify({ ignore: many.slice(0, 30_000) });
    assert.throws(() => readConfiguration(names), ConfigurationError);
    const globs = JSON.stringify({ documentation: many.slice(0, 30_000).map(() => 'a') });
    assert.throws(() => readConfiguration(globs), /at “documentation”/);
  });
});
