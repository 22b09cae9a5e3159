import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';

describe('the locks of jobs', () => {
  it('let what a user asks for wait for a brief look, and refuse it during other work', async () => {
    const locks = new JobLocks();
    const done: string[] = [];
    const work = (name: string, end: Promise<void>) => async (): Promise<void> => {
      await end;
      done.push(name);
    };
    const looking = locks.tryHold('job', work('look', delay(10)), true);
    strictEqual(locks.tryHold('job', work('another look', Promise.resolve()), true), undefined);
    const merging = locks.tryHold('job', work('merge', Promise.resolve()));
    strictEqual(locks.tryHold('job', work('another merge', Promise.resolve())), undefined);
    await Promise.all([looking, merging]);
    deepStrictEqual(done, ['look', 'merge']);
    strictEqual(locks.isHeld('job'), false);
  });
});
