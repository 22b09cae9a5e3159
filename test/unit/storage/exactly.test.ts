import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { exactly } from '../../../src/storage/exactly';
import { isExactRecord, recordSchema } from '../../../src/storage/recordSchema';
import { eventsByType } from './anyEvent';

/** Records as they are written, with some part replaced, added or taken away. */
const changed = fc
  .tuple(fc.oneof(...Object.values(eventsByType)), fc.constantFrom(1, 2), fc.array(fc.nat()), fc.jsonValue(), fc.nat(3))
  .map(([event, version, path, value, how]) => {
    const record = JSON.parse(JSON.stringify({ version, event })) as Record<string, unknown>;
    change(record, path, value, how);
    return record;
  });

function change(parent: Record<string, unknown>, [step = 0, ...path]: number[], value: unknown, how: number): void {
  const names = Object.keys(parent);
  const name = names[step % names.length] ?? 'none';
  const child = parent[name];
  if (path.length > 0 && typeof child === 'object' && child !== null) {
    change(child as Record<string, unknown>, path, value, how);
  } else if (how === 0) {
    Reflect.deleteProperty(parent, name);
  } else if (how === 1) {
    parent['unknown'] = value;
  } else if (how === 2) {
    parent[name] = value;
  }
}

describe('the quick look at a record', () => {
  for (const [type, anyEvent] of Object.entries(eventsByType)) {
    it(`takes every ${type} as it is written`, () => {
      fc.assert(
        fc.property(anyEvent, (event) => {
          strictEqual(isExactRecord(JSON.parse(JSON.stringify({ version: 1, event }))), true);
        }),
      );
    });
  }

  it('takes nothing that the schema does not take, or would change', () => {
    const counts = { taken: 0, left: 0 };
    fc.assert(
      fc.property(changed, (record) => {
        const isExact = isExactRecord(record);
        counts[isExact ? 'taken' : 'left']++;
        if (isExact) {
          deepStrictEqual(recordSchema.parse(structuredClone(record)), record);
        }
      }),
      { numRuns: 5000 },
    );
    strictEqual(counts.taken > 100 && counts.left > 100, true, JSON.stringify(counts));
  });

  for (const record of [
    null,
    [],
    'seen',
    { version: 1 },
    { version: 1, event: [] },
    { version: 1, event: { type: 'seen', at: Infinity } },
    { version: 1, event: { type: 'seen', at: NaN } },
    { version: 1, event: { type: 'go', at: 1, send: 's' } },
    { version: 1, event: { type: 'toString', at: 1 } },
    { version: 1, event: { type: 'seen' } },
    { version: 1, event: { type: 'seen', at: 1 }, constructor: 1 },
  ]) {
    it(`leaves ${JSON.stringify(record)} to the schema`, () => strictEqual(isExactRecord(record), false));
  }

  enum Numbered {
    First,
  }

  for (const [name, schema, value] of [
    ['a whole number', z.int(), 1.5],
    ['an address', z.email(), 'nobody'],
    ['a time', z.iso.datetime(), 'today'],
    ['a text with a least length', z.string().check(z.minLength(1)), ''],
    ['what is made a number', z.coerce.number(), 1],
    ['numbers with names', z.enum(Numbered), 'First'],
    ['members that are checked', z.object({ count: z.int() }), { count: 1.5 }],
    ['an object with other members', z.strictObject({ a: z.string() }), { a: 'a' }],
    ['either of two', z.union([z.int(), z.string()]), 1.5],
  ] as const) {
    it(`leaves ${name} to the schema`, () => strictEqual(exactly(schema)(value), false));
  }
});
