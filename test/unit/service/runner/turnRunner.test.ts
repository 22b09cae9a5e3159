import assert from 'node:assert/strict';
import { TurnFailure } from '../../../../src/service/runner/turnFailure';
import { TurnRunner } from '../../../../src/service/runner/turnRunner';
import type { TurnWork } from '../../../../src/service/runner/turnWork';
import type { JobStore, Turn, TurnState } from '../../../../src/service/store/jobStore';
import type { Logger } from '../../../../src/shared/util/logger';
import { sampleTurn } from '../../../support/sampleTurn';

const turn = (id: number, jobId = `job ${id}`): Turn => sampleTurn({ id, jobId });
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Work that ends when it is told to. */
function controlledWork() {
  const running = new Map<number, { finish: (error?: Error) => void }>();
  const work = {
    run: ({ id }: Turn, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const finish = (error?: Error): void => {
          running.delete(id);
          if (error) {
            reject(error);
          } else {
            resolve();
          }
        };
        running.set(id, { finish });
        signal.addEventListener('abort', () => finish(signal.reason as Error));
        if (signal.aborted) {
          finish(signal.reason as Error);
        }
      }),
  };
  return { running, work: work as unknown as TurnWork };
}

describe('TurnRunner', () => {
  const setUp = () => {
    const { running, work } = controlledWork();
    const states = new Map<number, [TurnState, string | undefined]>();
    const store = { setTurn: (id: number, state: TurnState, reason?: string) => states.set(id, [state, reason]) };
    const errors: string[] = [];
    const log: Logger = { info: () => undefined, warn: () => undefined, error: (message) => errors.push(message) };
    const runner = new TurnRunner(store as unknown as JobStore, work, log);
    return { runner, running, states, errors };
  };

  it('runs two turns at once, and the next as soon as one has ended', async () => {
    const { runner, running, states } = setUp();
    [1, 2, 3].forEach((id) => runner.start(turn(id)));
    await tick();
    assert.deepEqual([...running.keys()], [1, 2]);
    running.get(1)?.finish();
    await tick();
    assert.deepEqual([...running.keys()], [2, 3]);
    assert.deepEqual(states.get(1), ['done', undefined]);
  });

  it('stops the present turn of a job for a newer one, which starts after its end', async () => {
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

  it('keeps the reason of a failure, and logs what is a fault of its own', async () => {
    const { runner, running, states, errors } = setUp();
    runner.start(turn(1));
    runner.start(turn(2));
    await tick();
    running.get(1)?.finish(new TurnFailure('The agent was tired.'));
    running.get(2)?.finish(new Error('disk'));
    await tick();
    assert.deepEqual(states.get(1), ['failed', 'The agent was tired.']);
    assert.deepEqual(states.get(2), ['failed', 'The local service failed: disk']);
    assert.deepEqual(errors, ['turn 2 of job job 2 failed unexpectedly']);
  });

  it('stops all and starts nothing any more', async () => {
    const { runner, running, states } = setUp();
    [1, 2, 3].forEach((id) => runner.start(turn(id)));
    await tick();
    await runner.stop();
    runner.start(turn(4));
    await tick();
    assert.equal(running.size, 0);
    for (const id of [1, 2, 3, 4]) {
      assert.equal(states.get(id)?.[0], 'failed');
      assert.match(states.get(id)?.[1] ?? '', /^The local service was stopped/);
    }
  });
});
