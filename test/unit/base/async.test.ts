import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { delay, risingEdge } from '../../../src/base/async';
import { ManualClock } from '../../support/manualClock';

describe('delay', () => {
  it('resolves at its time and not before, and removes its listener from a signal that outlives it', async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    let ended = false;
    const waiting = delay(clock, 1000, signal).then(() => (ended = true));
    await clock.advance(999);
    assert.equal(ended, false);
    await clock.advance(1);
    await waiting;
    assert.deepEqual([clock.pending, getEventListeners(signal, 'abort').length], [0, 0]);
  });

  it('rejects with the reason of its signal, even one that was aborted before, and leaves no timer', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const waiting = delay(clock, 1000, caller.signal);
    const reason = new Error('enough');
    caller.abort(reason);
    await assert.rejects(waiting, reason);
    await assert.rejects(delay(clock, 1000, caller.signal), reason);
    assert.equal(clock.pending, 0);
  });
});

describe('risingEdge', () => {
  it('fires once per change to true, however often a value is repeated', () => {
    let times = 0;
    const tell = risingEdge(true, () => (times += 1));
    [true, false, true, true, false, false, true].forEach(tell);
    assert.equal(times, 2);
  });
});
