import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { processStartTime, startTimeInStat } from '../../../src/base/process';

describe('processStartTime', () => {
  it('returns the same value for the same process', async () => {
    const first = await processStartTime(process.pid);
    assert.ok(first);
    assert.equal(await processStartTime(process.pid), first);
  });

  it('returns undefined for an ended process and an invalid process ID', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    assert.equal(await processStartTime(child.pid ?? 0), undefined);
    for (const pid of [0, -1, 1.5, Number.NaN]) {
      assert.equal(await processStartTime(pid), undefined);
    }
  });

  it('reads field 22 whatever the program’s name and returns undefined for a zombie', () => {
    const rest = Array.from({ length: 40 }, (_, index) => index + 4).join(' ');
    assert.equal(startTimeInStat(`12 (a) b (c) S ${rest}`), '22');
    assert.equal(startTimeInStat(`12 (x) Z ${rest}`), undefined);
    assert.equal(startTimeInStat(''), undefined);
  });
});
