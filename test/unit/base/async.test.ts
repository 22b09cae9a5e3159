import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { backoffDelay, delay, growingDelay, risingEdge } from '../../../src/base/async';
import { DisposableStore, Emitter } from '../../../src/base/disposable';
import { MAX_RETRY_AFTER_MS } from '../../../src/base/limits';
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

const backoffs = fc
  .record({ baseMs: fc.integer({ min: 1, max: 10_000 }), factor: fc.integer({ min: 1, max: 1000 }) })
  .map(({ baseMs, factor }) => ({ baseMs, capMs: baseMs * factor }));
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failures = fc.integer({ min: 1, max: 1_000_000 });

for (const [name, delayOf, spread] of [
  ['backoffDelay', backoffDelay, 1],
  ['growingDelay', growingDelay, 1.25],
] as const) {
  describe(name, () => {
    it('stays between base and cap, and waits as long as the service asks, up to an hour', () => {
      const asked = fc.oneof(fc.integer({ min: 0, max: 2 * MAX_RETRY_AFTER_MS }), fc.constant(Infinity));
      fc.assert(
        fc.property(backoffs, failures, randoms, asked, (backoff, count, random, retryAfterMs) => {
          const wait = delayOf(backoff, count, random);
          assert.ok(wait >= Math.min(backoff.baseMs, backoff.capMs / spread) && wait <= backoff.capMs, String(wait));
          const longer = delayOf(backoff, count, random, retryAfterMs);
          assert.equal(longer, Math.max(wait, Math.min(retryAfterMs, 3_600_000)));
        }),
      );
    });
  });
}

describe('both delays', () => {
  it('grow with each failure up to the cap', () => {
    const counts = [1, 2, 3, 4, 5, 1_000_000];
    const waits = counts.map((count) => backoffDelay({ baseMs: 1000, capMs: 8000 }, count, 1));
    assert.deepEqual(waits, [2000, 4000, 8000, 8000, 8000, 8000]);
    const growing = counts.map((count) => growingDelay({ baseMs: 5000, capMs: 300_000 }, count, 0));
    assert.deepEqual(growing, [5000, 10_000, 20_000, 40_000, 80_000, 240_000]);
  });
});

describe('DisposableStore', () => {
  it('disposes once, in reverse order, despite one that throws, and at once what is added later', () => {
    const gone: string[] = [];
    const item = (name: string): { dispose(): void } => ({ dispose: () => void gone.push(name) });
    const store = new DisposableStore();
    store.add(item('first'));
    store.add({ dispose: () => store.add(item('during')) });
    store.add({
      dispose: () => {
        throw new Error('mine');
      },
    });
    store.add(item('last'));
    assert.throws(() => store.dispose(), /mine/);
    store.dispose();
    store.add(item('after'));
    assert.deepEqual(gone, ['last', 'during', 'first', 'after']);
  });
});

describe('Emitter', () => {
  it('calls all listeners in order, despite one that throws, and reports every error', () => {
    const [errors, heard]: [unknown[], string[]] = [[], []];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const fault = new Error('mine');
    emitter.event((value) => heard.push(`a${value}`));
    emitter.event(() => {
      throw fault;
    });
    emitter.event((value) => heard.push(`b${value}`));
    emitter.fire(1);
    emitter.fire(2);
    assert.deepEqual(
      [errors, heard],
      [
        [fault, fault],
        ['a1', 'b1', 'a2', 'b2'],
      ],
    );
  });

  it('allows listeners to be added and removed while it fires', () => {
    const heard: string[] = [];
    const emitter = new Emitter<undefined>(assert.ifError);
    const once = emitter.event(() => {
      once.dispose();
      heard.push('once');
      emitter.event(() => heard.push('late'));
    });
    emitter.event(() => heard.push('always'));
    emitter.fire(undefined);
    assert.deepEqual(heard, ['once', 'always']);
    emitter.fire(undefined);
    assert.deepEqual(heard, ['once', 'always', 'always', 'late']);
  });
});
