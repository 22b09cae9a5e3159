import assert from 'node:assert/strict';
import { TokenHandover } from '../../../../src/local-service/jobs/tokenHandover';
import { ManualClock } from '../../../support/manualClock';

const HOST = 'git.example.org';

describe('publishing after a restart', () => {
  function waiting(host: Promise<string | undefined> = Promise.resolve(HOST), signal = new AbortController().signal) {
    const clock = new ManualClock();
    const tokens = new Set<string>();
    const handover = new TokenHandover(clock, (name) => tokens.has(name));
    const state = { isOver: false };
    const over = handover.wait('p1', host, signal).then(() => (state.isOver = true));
    return { clock, tokens, handover, state, over };
  }

  it('waits for the token of its host', async () => {
    const { tokens, state, over, clock } = waiting();
    tokens.add('other.example.org');
    await clock.advance(5_000);
    assert.equal(state.isOver, false);
    tokens.add(HOST);
    await clock.advance(100);
    await over;
  });

  it('waits three more seconds for the token once the project’s settings have arrived', async () => {
    const { handover, state, over, clock } = waiting();
    handover.settingsCame('p2');
    await clock.advance(4_000);
    handover.settingsCame('p1');
    await clock.advance(2_800);
    assert.equal(state.isOver, false);
    await clock.advance(300);
    await over;
  });

  it('waits until 15 seconds after the start, even if the host is unknown', async () => {
    const { handover, state, clock, over } = waiting(new Promise(() => undefined));
    await clock.advance(14_900);
    assert.equal(state.isOver, false);
    await clock.advance(200);
    await over;
    const next = handover.wait('p2', Promise.resolve(HOST), new AbortController().signal);
    await clock.advance(0);
    await next;
  });

  it('does not wait when no host can be determined or when it is stopped', async () => {
    for (const find of [async () => undefined, () => Promise.reject<undefined>(new Error('no remote'))]) {
      const { over, clock } = waiting(find());
      await clock.advance(0);
      await over;
    }
    const stop = new AbortController();
    const { over, clock } = waiting(undefined, stop.signal);
    const stopped = assert.rejects(over, /stopped/);
    await clock.advance(1_000);
    stop.abort(new Error('stopped'));
    await stopped;
    assert.equal(clock.pending, 0);
  });
});
