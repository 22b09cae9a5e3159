import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { delay, systemClock } from '../../../src/base/async';
import { ManualClock } from '../../support/manualClock';

describe('delay', () => {
  it('resolves at its time and not before', async () => {
    const clock = new ManualClock();
    let ended = false;
    const waiting = delay(clock, 1000).then(() => (ended = true));
    await clock.advance(999);
    assert.equal(ended, false);
    await clock.advance(1);
    await waiting;
    assert.equal(clock.pending, 0);
  });

  it('rejects with the reason of its signal and leaves no timer', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const waiting = delay(clock, 1000, caller.signal);
    const reason = new Error('enough');
    caller.abort(reason);
    await assert.rejects(waiting, reason);
    assert.equal(clock.pending, 0);
  });

  it('rejects immediately if the signal is already aborted', async () => {
    const clock = new ManualClock();
    const reason = new Error('before');
    await assert.rejects(delay(clock, 1000, AbortSignal.abort(reason)), reason);
    assert.equal(clock.pending, 0);
  });

  it('removes its listener from a signal that outlives it', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const waiting = delay(clock, 5, signal);
    assert.equal(getEventListeners(signal, 'abort').length, 1);
    await clock.advance(5);
    await waiting;
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});

describe('systemClock', () => {
  it('calls back once, and not at all when disposed', async () => {
    let cancelled = false;
    systemClock.after(0, () => (cancelled = true)).dispose();
    const before = systemClock.monotonic();
    await new Promise<void>((resolve) => systemClock.after(1, resolve));
    assert.ok(systemClock.monotonic() > before);
    assert.equal(cancelled, false);
    assert.ok(Math.abs(systemClock.now() - Date.now()) < 1000);
  });
});
