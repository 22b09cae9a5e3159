import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { CheckedRange, CheckedResult } from '../../../src/checks/process/checkResult';
import { JobChecks } from '../../../src/local-service/check/jobChecks';
import { ManualClock } from '../../support/manualClock';

const NOTHING: CheckedResult = { findings: [], more: 0, coverage: { pages: 1, names: 2, notChecked: [] } };

interface Started {
  range: CheckedRange;
  signal: AbortSignal;
  end: (result: CheckedResult | undefined) => void;
}

describe('JobChecks', () => {
  let clock: ManualClock;
  let started: Started[];
  let logged: string[];

  const newChecks = (): JobChecks => {
    [started, logged, clock] = [[], [], new ManualClock()];
    const log = { info: () => undefined, warn: (text: string) => logged.push(text), error: () => undefined };
    const run = (range: CheckedRange, signal: AbortSignal): Promise<CheckedResult | undefined> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(undefined));
        started.push({ range, signal, end: resolve });
      });
    return new JobChecks({ run, clock, log });
  };
  const work = (commit: string, jobId = 'j1') => ({ jobId, folder: '/repository', base: 'a', commit });
  const wait = (checks: JobChecks, commit: string) => checks.wait(work(commit), new AbortController().signal);

  it('runs a check once for the same commits, and keeps the result', async () => {
    const checks = newChecks();
    strictEqual(checks.state(work('b')), 'running');
    strictEqual(checks.state(work('b')), 'running');
    await turn();
    deepStrictEqual([checks.isRunning('j1'), checks.isRunning('j2')], [true, false]);
    deepStrictEqual(
      started.map(({ range }) => range),
      [{ folder: '/repository', base: 'a', commit: 'b', code: [] }],
    );
    started[0]!.end(NOTHING);
    strictEqual(await wait(checks, 'b'), NOTHING);
    deepStrictEqual([checks.state(work('b')), checks.isRunning('j1'), started.length], [NOTHING, false, 1]);
  });

  it('runs two checks at a time', async () => {
    const checks = newChecks();
    checks.start(work('b'));
    checks.start(work('c'));
    checks.start(work('d', 'j2'));
    await turn();
    deepStrictEqual([started.length, checks.isRunning('j2')], [2, true]);
    started[0]!.end(NOTHING);
    await turn();
    strictEqual(started[2]?.range.commit, 'd');
  });

  it('does not start a check again after it has failed', async () => {
    const checks = newChecks();
    checks.start(work('b'));
    await turn();
    started[0]!.end(undefined);
    await turn();
    deepStrictEqual([checks.state(work('b')), checks.isRunning('j1'), started.length], [undefined, false, 1]);
  });

  it('stops waiting for a check after a limit, and lets it continue', async () => {
    const checks = newChecks();
    const waiting = wait(checks, 'b');
    await clock.advance(30_000);
    strictEqual(await waiting, undefined);
    deepStrictEqual([logged.length, started[0]!.signal.aborted, checks.state(work('b'))], [1, false, 'running']);
    started[0]!.end(NOTHING);
    strictEqual(await wait(checks, 'b'), NOTHING);
  });

  it('ends a check that takes too long', async () => {
    const checks = newChecks();
    checks.start(work('b'));
    await clock.advance(180_000);
    deepStrictEqual([checks.state(work('b')), logged.length], [undefined, 1]);
  });

  it('stops waiting for a check when a run is stopped', async () => {
    const stop = new AbortController();
    const waiting = newChecks().wait(work('b'), stop.signal);
    stop.abort();
    strictEqual(await waiting, undefined);
    deepStrictEqual(logged, []);
  });

  it('ends all checks with the service', async () => {
    const checks = newChecks();
    checks.start(work('b'));
    checks.start(work('c'));
    checks.start(work('d'));
    await turn();
    checks.close();
    await turn();
    deepStrictEqual(
      started.map(({ signal }) => signal.aborted),
      [true, true],
    );
    strictEqual(checks.state(work('e')), undefined);
    deepStrictEqual(logged, []);
  });
});
