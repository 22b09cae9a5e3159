import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { TrackedJob } from '../../../src/jobs/trackedJob';
import { usualRun } from '../../../src/jobs/usualRun';
import { trackedJob } from '../../support/trackedJob';

const home = { service: 'local', projectId: 'handbook' };
const ran = (ms: number, projectId = 'handbook'): TrackedJob =>
  trackedJob({ home: { service: 'local', projectId }, acceptedAt: 1000, endedAt: 1000 + ms });

describe('how long runs of a project usually take', () => {
  it('is not told before five have ended', () => {
    strictEqual(
      usualRun(
        [1, 2, 3, 4].map((ms) => ran(ms)),
        home,
      ),
      undefined,
    );
    strictEqual(usualRun([...[1, 2, 3, 4].map((ms) => ran(ms)), ran(5, 'another')], home), undefined);
  });

  it('is told by the middle one, and a run is unusual beyond nearly all and twice the middle one', () => {
    deepStrictEqual(
      usualRun(
        [5, 1, 4, 2, 3].map((ms) => ran(ms)),
        home,
      ),
      { medianMs: 3, unusualMs: 6 },
    );
    const many = Array.from({ length: 100 }, (_, index) => ran(index < 90 ? 10 : 1000));
    deepStrictEqual(usualRun(many, home), { medianMs: 10, unusualMs: 1000 });
  });

  it('leaves out jobs that still run, and those whose start is not known', () => {
    const unknown = trackedJob({ home, endedAt: 5 });
    const running = trackedJob({ home, acceptedAt: 5 });
    strictEqual(usualRun([...[1, 2, 3, 4].map((ms) => ran(ms)), unknown, running], home), undefined);
  });
});
