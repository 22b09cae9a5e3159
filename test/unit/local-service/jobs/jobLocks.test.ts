import assert from 'node:assert/strict';
import { JobLocks } from '../../../../src/local-service/jobs/jobDesk';

function gate(): { opened: Promise<void>; open: (error?: Error) => void } {
  let open: (error?: Error) => void = () => undefined;
  const opened = new Promise<void>((resolve, reject) => (open = (error) => (error ? reject(error) : resolve())));
  return { opened, open };
}

describe('JobLocks', () => {
  it('does what is asked of one job in order, also after a failure, and of others at the same time', async () => {
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

  it('tells when nobody works on any job, and what came of it is noted', async () => {
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

  it('does not what can’t be done at once', async () => {
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
