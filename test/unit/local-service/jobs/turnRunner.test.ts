import { setTimeout as delay } from 'node:timers/promises';
import assert from 'node:assert/strict';
import type { Logger } from '../../../../src/base/logger';
import { TurnFailure, type TurnSignals, UsageLimit } from '../../../../src/local-service/turnFailure';
import { USER_REASON } from '../../../../src/local-service/jobs/jobStatus';
import { JobLocks } from '../../../../src/local-service/jobs/jobLocks';
import type { TurnResult } from '../../../../src/local-service/jobs/turnExecutor';
import { TurnRunner } from '../../../../src/local-service/jobs/turnRunner';
import type { Claim, Requeue, Turn, TurnState } from '../../../../src/local-service/store/jobStore';
import { coded, type CodedText } from '../../../../src/protocol/codedText';
import { inEnglish, plain } from '../../../support/codedText';
import { ManualClock } from '../../../support/manualClock';
import { sampleTurn } from '../../../support/sampleTurn';
import { TokenHandover } from '../../../../src/local-service/jobs/tokenHandover';

const turn = (id: number, jobId = `job ${id}`): Turn => sampleTurn({ id, jobId });
/** Runs everything that is due in the event loop. */
const tick = async (): Promise<void> => {
  for (let round = 0; round < 20; round++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** Work that ends on request. Publishing is stopped only by its own signal. */
function controlledWork() {
  const running = new Map<number, { finish: (error?: Error) => void }>();
  const run = ({ id, state }: Turn, signals: TurnSignals): Promise<TurnResult> =>
    new Promise((resolve, reject) => {
      const finish = (error?: Error): void => {
        running.delete(id);
        if (error) {
          reject(error);
        } else {
          resolve({ endedEarly: undefined, found: {} });
        }
      };
      running.set(id, { finish });
      const signal = state === 'publishing' ? signals.publish : signals.work;
      signal.addEventListener('abort', () => finish(signal.reason as Error));
      if (signal.aborted) {
        finish(signal.reason as Error);
      }
    });
  return { running, work: { run } };
}

function setUp(concurrency = 2) {
  const { running, work } = controlledWork();
  const replaced = new Set<number>();
  const states = new Map<number, [TurnState | 'waits', string | undefined]>();
  let broken = 0;
  const write = async (change: () => void): Promise<void> => {
    if (broken > 0) {
      broken -= 1;
      throw new Error('disk full');
    }
    change();
  };
  const store = {
    claimTurn: async (claim: Claim) =>
      replaced.has(claim.id) ? undefined : { ...(claim as Turn), attempt: claim.attempt + 1 },
    finishTurn: ({ id }: Claim, state: TurnState, reason?: CodedText) =>
      write(() => states.set(id, [state, reason && inEnglish(reason)])),
    requeueTurn: ({ id }: Claim, { note }: Requeue) => write(() => states.set(id, ['waits', inEnglish(note)])),
  };
  const errors: string[] = [];
  const log: Logger = { info: () => undefined, warn: () => undefined, error: (message) => errors.push(message) };
  const clock = new ManualClock();
  const runner = new TurnRunner({ store, work, locks: new JobLocks(), log, clock, concurrency });
  const breakDisk = (times: number): void => {
    broken = times;
  };
  return { runner, running, states, replaced, errors, breakDisk, clock };
}

describe('TurnRunner', () => {
  it('runs two turns at a time and starts the next one when a turn ends', async () => {
    const { runner, running, states } = setUp();
    [1, 2, 3].forEach((id) => runner.start(turn(id)));
    await tick();
    assert.deepEqual([...running.keys()], [1, 2]);
    assert.equal(runner.size, 3);
    running.get(1)?.finish();
    await tick();
    assert.deepEqual([...running.keys()], [2, 3]);
    assert.deepEqual(states.get(1), ['done', undefined]);
    assert.equal(runner.size, 2);
  });

  it('stops the current turn of a job for a newer one, which starts after it has ended', async () => {
    const { runner, running, states } = setUp();
    runner.start(turn(1, 'j'));
    await tick();
    runner.start(turn(2, 'j'));
    runner.start(turn(3, 'j'));
    await tick();
    assert.deepEqual([...running.keys()], [3]);
    assert.deepEqual([states.get(1)?.[0], states.get(2)?.[0]], ['cancelled', 'cancelled']);
    running.get(3)?.finish();
    await tick();
    assert.deepEqual(states.get(3)?.[0], 'done');
  });

  it('starts no message that a newer one has replaced, even if it hears of the newer one first', async () => {
    const { runner, running, states, replaced, errors } = setUp();
    replaced.add(1).add(3);
    runner.start(turn(2, 'j'));
    runner.start(turn(1, 'j'));
    runner.start(turn(3));
    await tick();
    assert.deepEqual([...running.keys()], [2]);
    assert.deepEqual([states.size, errors], [0, []]);
  });

  it('lets publishing finish before it runs the newer message', async () => {
    const { runner, running, states } = setUp();
    runner.start(sampleTurn({ id: 1, jobId: 'j', state: 'publishing' }));
    runner.start(turn(2, 'j'));
    await tick();
    assert.deepEqual([...running.keys()], [1]);
    running.get(1)?.finish();
    await tick();
    assert.deepEqual([...running.keys()], [2]);
    assert.equal(states.get(1)?.[0], 'done');
  });

  it('truncates a long failure reason', async () => {
    const { runner, running, states } = setUp();
    runner.start(turn(1));
    await tick();
    running.get(1)?.finish(new TurnFailure(plain('no '.repeat(10_000))));
    await tick();
    const [state, reason = ''] = states.get(1) ?? [];
    assert.equal(state, 'failed');
    assert.ok(reason.startsWith('no no') && reason.length <= 2_000, `${reason.length} characters`);
  });

  it('stops a turn for the user, even one that is still queued', async () => {
    const { runner, running, states } = setUp(1);
    [1, 2].forEach((id) => runner.start(turn(id)));
    await tick();
    assert.equal(await runner.cancel('job 2'), true);
    assert.deepEqual(states.get(2), ['cancelled', inEnglish(USER_REASON)]);
    assert.deepEqual([...running.keys()], [1]);
    assert.equal(await runner.cancel('job 1'), true);
    assert.deepEqual(states.get(1), ['cancelled', inEnglish(USER_REASON)]);
    assert.equal(await runner.cancel('job 1'), false);
    assert.equal(runner.size, 0);
  });

  it('records the reason of a failure and logs only unexpected errors', async () => {
    const { runner, running, states, errors } = setUp();
    runner.start(turn(1));
    runner.start(turn(2));
    await tick();
    running.get(1)?.finish(new TurnFailure(plain('The agent was tired.')));
    running.get(2)?.finish(new Error('disk'));
    await tick();
    assert.deepEqual(states.get(1), ['failed', 'The agent was tired.']);
    assert.deepEqual(states.get(2), ['failed', 'Local service error: disk']);
    assert.deepEqual(errors, ['turn 2 of job job 2 failed unexpectedly']);
  });

  const limit = (clock: ManualClock) =>
    new UsageLimit(coded('agentError', { words: 'You’ve hit your limit.' }), clock.now() + 3_600_000);
  const WAITS =
    'The agent’s usage limit is reached. The run will resume when it resets. The agent reported: You’ve hit your limit.';

  it('runs a turn again when its agent’s usage limit has reset, once', async () => {
    const { runner, running, states, clock } = setUp(1);
    runner.start(turn(1));
    await tick();
    running.get(1)?.finish(limit(clock));
    await tick();
    assert.deepEqual([states.get(1), runner.size, runner.held, running.size], [['waits', WAITS], 1, 1, 0]);
    // It takes no place meanwhile.
    runner.start(turn(2));
    await tick();
    running.get(2)?.finish();
    await clock.advance(3_599_000);
    await tick();
    assert.deepEqual([...running.keys()], []);
    await clock.advance(1_000);
    await tick();
    assert.deepEqual([[...running.keys()], runner.held], [[1], 0]);
    running.get(1)?.finish(limit(clock));
    await tick();
    assert.equal(states.get(1)?.[0], 'failed');
    assert.match(states.get(1)?.[1] ?? '', /You’ve hit your limit\.$/);
    assert.equal(runner.size, 0);
  });

  it('lets the user, a newer message, and the end of the service stop a turn on hold', async () => {
    const { runner, running, states, clock } = setUp();
    const held = (id: number) => sampleTurn({ id, jobId: `job ${id}`, resumesAt: clock.now() + 3_600_000 });
    [1, 2, 4].forEach((id) => runner.start(held(id)));
    await tick();
    assert.equal(running.size, 0);
    await runner.cancel('job 1');
    assert.deepEqual(states.get(1), ['cancelled', inEnglish(USER_REASON)]);
    runner.start(turn(3, 'job 2'));
    await tick();
    assert.deepEqual([states.get(2)?.[0], ...running.keys()], ['cancelled', 3]);
    await runner.stop();
    assert.equal(states.get(4)?.[0], 'waits');
  });

  it('retries writing an end until it succeeds', async () => {
    const { runner, running, states, errors, breakDisk, clock } = setUp();
    runner.start(turn(1));
    await tick();
    breakDisk(2);
    running.get(1)?.finish();
    await tick();
    assert.equal(states.get(1), undefined);
    await clock.advance(10_000);
    await tick();
    assert.equal(states.get(1)?.[0], 'done');
    assert.deepEqual(errors, ['couldn’t save the end of turn 1']);
  });

  it('stops and requeues all turns, and starts no more', async () => {
    const { runner, running, states } = setUp();
    [1, 2, 3].forEach((id) => runner.start(turn(id)));
    await tick();
    await runner.stop();
    runner.start(turn(4));
    await tick();
    assert.equal(running.size, 0);
    assert.deepEqual(
      [1, 2, 3, 4].map((id) => states.get(id)?.[0]),
      ['waits', 'waits', 'waits', undefined],
    );
  });
});

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
    await locks.tryHold('a', async () => order.push('fourth'));
    assert.equal(order.at(-1), 'fourth');
  });

  it('lets what a user asks for wait for work in the background, and refuses it during other work', async () => {
    const locks = new JobLocks();
    const done: string[] = [];
    const work = (name: string, end: Promise<void>) => async (): Promise<void> => {
      await end;
      done.push(name);
    };
    const looking = locks.tryHold('job', work('look', delay(10)), true);
    assert.equal(locks.tryHold('job', work('another look', Promise.resolve()), true), undefined);
    const merging = locks.tryHold('job', work('merge', Promise.resolve()));
    assert.equal(locks.tryHold('job', work('another merge', Promise.resolve())), undefined);
    await Promise.all([looking, merging]);
    await locks.tryHold('job', work('next merge', Promise.resolve()));
    assert.deepEqual(done, ['look', 'merge', 'next merge']);
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
