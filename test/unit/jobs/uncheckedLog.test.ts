import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { Emitter } from '../../../src/base/disposable';
import type { JobChange } from '../../../src/jobs/jobStore';
import type { PollHealth } from '../../../src/jobs/pollSchedule';
import { UncheckedLog } from '../../../src/jobs/uncheckedLog';
import { snapshot, trackedJob } from '../../support/trackedJob';

function fail(error: unknown): never {
  throw error;
}

class Bench {
  now = 0;
  readonly failures = new Map<string, PollHealth['failure']>();
  readonly health = new Emitter<string>(fail);
  readonly changes = new Emitter<JobChange>(fail);
  readonly log = new UncheckedLog({
    store: { onDidChange: this.changes.event },
    poller: { health: (key) => ({ failure: this.failures.get(key) }), onDidChangeHealth: this.health.event },
    clock: { now: () => this.now },
  });

  tell(at: number, failure?: PollHealth['failure'], key = 'k'): void {
    this.now = at;
    this.failures.set(key, failure);
    this.health.fire(key);
  }
}

describe('UncheckedLog', () => {
  it('records when a job could not be checked, with one span per reason', () => {
    const bench = new Bench();
    deepStrictEqual(bench.log.spans('k'), []);
    bench.tell(5, 'timeout');
    bench.tell(7, 'timeout');
    deepStrictEqual(bench.log.spans('k'), [{ from: 5, failure: 'timeout' }]);
    bench.tell(9, 'unreachable');
    bench.tell(12);
    bench.tell(13);
    deepStrictEqual(bench.log.spans('k'), [
      { from: 5, to: 9, failure: 'timeout' },
      { from: 9, to: 12, failure: 'unreachable' },
    ]);
  });

  it('ends a span when the job ends, but never before its start if the clock was set back', () => {
    const bench = new Bench();
    bench.tell(50, 'timeout');
    bench.now = 20;
    bench.changes.fire({ job: trackedJob({ key: 'k', snapshot: snapshot('active'), untracked: true }) });
    deepStrictEqual(bench.log.spans('k'), [{ from: 50, to: 50, failure: 'timeout' }]);
  });

  it('keeps only the latest spans, both per job and in total', () => {
    const bench = new Bench();
    for (let at = 0; at < 400; at += 2) {
      bench.tell(at, 'timeout');
      bench.tell(at + 1);
    }
    strictEqual(bench.log.spans('k').length, 50);
    strictEqual(bench.log.spans('k').at(-1)?.from, 398);
    for (let job = 0; job < 600; job++) {
      bench.tell(job, 'timeout', `k${job}`);
    }
    strictEqual(bench.log.spans('k').length, 0);
    strictEqual(bench.log.spans('k100').length, 1);
    strictEqual(bench.log.spans('k99').length, 0);
  });
});
