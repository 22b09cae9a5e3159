import assert from 'node:assert/strict';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';

function gate(): { opened: Promise<void>; open: (error?: Error) => void } {
  let open: (error?: Error) => void = () => undefined;
  const opened = new Promise<void>((resolve, reject) => (open = (error) => (error ? reject(error) : resolve())));
  return { opened, open };
}

describe('JobLocks', () => {
  it('runs work on one job in order, even after a failure, and work on other jobs in parallel', async () => {
    const locks = new JobLocks();
    const first = gate();
    const order: string[] = [];
    const failed = locks.hold('a', () => first.opened);
    const second = locks.hold('a', async () => order.push('second'));
    const third = locks.hold('a', async () => order.push('third'));
    await locks.hold('b', async () => order.push('other'));
    assert.deepEqual(order, ['other']);
    first.open(new Error('no'));
    await assert.rejects(failed, /no/);
    await Promise.all([second, third]);
    assert.deepEqual(order, ['other', 'second', 'third']);
    assert.equal(locks.isHeld('a'), false);
  });

  it('reports that all jobs are free only after the results have been handled', async () => {
    const locks = new JobLocks();
    const order: string[] = [];
    await locks.untilFree();
    const first = gate();
    const noted = locks.hold('a', () => first.opened).then(() => order.push('noted'));
    const failed = locks.hold('b', () => Promise.reject(new Error('no')));
    const free = locks.untilFree().then(() => order.push('free'));
    await assert.rejects(failed, /no/);
    first.open();
    await Promise.all([noted, free]);
    assert.deepEqual(order, ['noted', 'free']);
  });

  it('skips work that can’t start immediately', async () => {
    const locks = new JobLocks();
    const first = gate();
    const held = locks.hold('a', () => first.opened);
    assert.equal(
      locks.tryHold('a', async () => 1),
      undefined,
    );
    first.open();
    await held;
    assert.equal(await locks.tryHold('a', async () => 1), 1);
  });
});
