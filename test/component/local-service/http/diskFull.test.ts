import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Hono } from 'hono';
import { answerError } from '../../../../src/local-service/http/app';
import { isDiskFull } from '../../../../src/local-service/http/httpError';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('disk-full error', () => {
  it('is logged and answered with status 507 and a clear message', async () => {
    const lines: string[] = [];
    const log = { info: () => undefined, warn: () => undefined, error: (text: string) => lines.push(text) };
    const app = new Hono();
    app.post('/', () => {
      throw Object.assign(new Error('x'), { code: 'ENOSPC' });
    });
    app.onError((error, context) => answerError(error, context, log));
    const answer = await app.request('/', { method: 'POST' });
    assert.equal(answer.status, 507);
    assert.deepEqual(await answer.json(), {
      error: 'The disk is full, so nothing was saved. Free up space, then try again.',
    });
    assert.deepEqual(lines, ['POST failed']);
  });

  it('is recognized whether it comes from the system or the database', async function () {
    assert.equal(isDiskFull(Object.assign(new Error('x'), { code: 'ENOSPC' })), true);
    assert.equal(isDiskFull(Object.assign(new Error('x'), { code: 'EDQUOT' })), true);
    assert.equal(isDiskFull(Object.assign(new Error('x'), { code: 'ENOENT' })), false);
    assert.equal(isDiskFull(new Error('x')), false);
    if ((process.getBuiltinModule('node:sqlite') as unknown) === undefined) {
      this.skip();
    }
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(join(await temporaryFolder(), 'full.db'));
    database.exec('CREATE TABLE t (x); PRAGMA max_page_count = 4');
    const fill = () => database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000));
    assert.throws(fill, (error) => isDiskFull(error));
    database.close();
  });
});
