import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { MAX_FIELD } from '../../../src/base/limits';
import { sameSnapshot, toSnapshot } from '../../../src/jobs/snapshot';
import { parseJob } from '../../../src/protocol/job';

const huge = 'x'.repeat(900_000);

function read(fields: object): ReturnType<typeof toSnapshot> {
  const job = parseJob({ id: 'j1', status: 'active', ...fields });
  ok(job !== undefined);
  return toSnapshot(job);
}

describe('toSnapshot', () => {
  it('truncates texts that are meant for people', () => {
    const { error, note, model } = read({ error: huge, note: huge, model: huge });
    for (const text of [error, note, model]) {
      strictEqual(text?.length, MAX_FIELD);
      ok(text.endsWith('x…'));
    }
  });

  it('keeps short codes of the local service and does not count them as a change', () => {
    const codes = { error: { code: 'stoppedByUser' } };
    const told = read({ error: 'It was stopped.', coded: codes });
    deepStrictEqual(told.coded, codes);
    strictEqual(sameSnapshot(told, read({ error: 'It was stopped.' })), true);
    const long = { code: 'both', params: { first: 'x'.repeat(1_900), second: 'x'.repeat(1_900) } };
    strictEqual(read({ error: 'x', coded: { error: long, note: long } }).coded, undefined);
    strictEqual(read({ error: 'x', coded: 'x' }).coded, undefined);
  });

  it('drops names that are too long, because a truncated name would refer to something else', () => {
    const { prLink, ref, repository, createdAt } = read({
      prLink: `https://github.com/${huge}`,
      source: { ref: huge, repository: `https://github.com/${huge}` },
      createdAt: `2026-01-01T00:00:00.${'0'.repeat(900_000)}Z`,
    });
    deepStrictEqual([prLink, ref, repository, createdAt], [null, null, null, null]);
  });

  it('keeps values of usual length', () => {
    const prLink = `https://git.example/${'x'.repeat(1900)}`;
    strictEqual(read({ prLink, error: 'why' }).prLink, prLink);
    strictEqual(read({ prLink, error: 'why' }).error, 'why');
  });

  it('keeps the counts of changes if all of them are plausible', () => {
    const changes = { files: 2, added: 8, deleted: 0 };
    deepStrictEqual(read({ changes: { ...changes, more: huge } }).changes, changes);
    strictEqual(sameSnapshot(read({ changes }), read({ changes })), true);
    strictEqual(sameSnapshot(read({ changes }), read({ changes: { ...changes, added: 9 } })), false);
    for (const bad of [null, [], huge, { files: 2 }, { ...changes, added: -1 }, { ...changes, files: 1e300 }]) {
      strictEqual(read({ changes: bad }).changes, undefined);
    }
  });

  it('keeps the tokens and the cost of an answer if they are plausible', () => {
    const [tokens, cost] = [12_345, { amount: 0.12, currency: 'USD' }];
    deepStrictEqual(read({ usage: { tokens, cost: { ...cost, more: huge }, more: huge } }).usage, { tokens, cost });
    for (const bad of ['1', -1, 0.5, 1e300]) {
      deepStrictEqual(read({ usage: { tokens: bad, cost } }).usage, { cost });
    }
    for (const bad of [
      1,
      null,
      { ...cost, amount: -1 },
      { ...cost, currency: huge },
      { ...cost, currency: 'credits' },
    ]) {
      deepStrictEqual(read({ usage: { tokens, cost: bad } }).usage, { tokens });
    }
    for (const bad of [undefined, null, 1, {}, { tokens: -1 }]) {
      strictEqual('usage' in read({ usage: bad }), false);
    }
  });

  it('drops everything else about usage on entry, before it is searched for secrets', () => {
    const usage = { tokens: 1, cost: { amount: 1, currency: 'EUR', more: [huge] }, more: [huge] };
    deepStrictEqual(parseJob({ id: 'j1', status: 'active', usage })?.usage, {
      tokens: 1,
      cost: { amount: 1, currency: 'EUR' },
    });
    strictEqual(parseJob({ id: 'j1', status: 'active', usage: [huge] })?.usage, undefined);
  });

  it('treats an empty link as no link', () => {
    strictEqual(read({ status: 'completed', prLink: '' }).prLink, null);
    strictEqual(read({ status: 'completed', prLink: ' \n' }).prLink, null);
  });

  for (const status of ['active', 'completed', 'failed', 'archived', 'some later word']) {
    it(`reports a job with status ${status} and an archive time as archived`, () => {
      strictEqual(read({ status, archivedAt: '2026-01-01T00:00:00Z' }).status, 'archived');
      strictEqual(read({ status, archivedAt: null }).status, status);
    });
  }
});
