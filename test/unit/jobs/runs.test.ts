import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { getRunTimeStats } from '../../../src/jobs/runs';
import type { TrackedJob } from '../../../src/jobs/trackedJob';
import { trackedJob } from '../../support/trackedJob';

const home = { service: 'local', projectId: 'handbook' };
const MINUTE = 60_000;
const ran = (ms: number, projectId = 'handbook'): TrackedJob =>
  trackedJob({ home: { service: 'local', projectId }, acceptedAt: 1000, endedAt: 1000 + ms });

describe('usual run time of a project', () => {
  it('is unknown until five runs have ended', () => {
    strictEqual(
      getRunTimeStats(
        [1, 2, 3, 4].map((ms) => ran(ms)),
        home,
      ),
      undefined,
    );
    strictEqual(getRunTimeStats([...[1, 2, 3, 4].map((ms) => ran(ms)), ran(5, 'another')], home), undefined);
  });

  it('is the median, and a run is unusual beyond 95% of runs and twice the median', () => {
    deepStrictEqual(
      getRunTimeStats(
        [5, 1, 4, 2, 3].map((minutes) => ran(minutes * MINUTE)),
        home,
      ),
      { medianMs: 3 * MINUTE, unusualMs: 6 * MINUTE },
    );
    const many = Array.from({ length: 100 }, (_, index) => ran(index < 90 ? 10 : 10 * MINUTE));
    deepStrictEqual(getRunTimeStats(many, home), { medianMs: 10, unusualMs: 10 * MINUTE });
  });

  it('never makes a run unusual before five minutes, however short the others are', () => {
    const short = [1, 2, 2, 3, 4].map((seconds) => ran(seconds * 1000));
    deepStrictEqual(getRunTimeStats(short, home), { medianMs: 2000, unusualMs: 5 * MINUTE });
  });

  it('ignores jobs that are still running and jobs with an unknown start', () => {
    const unknown = trackedJob({ home, endedAt: 5 });
    const running = trackedJob({ home, acceptedAt: 5 });
    strictEqual(getRunTimeStats([...[1, 2, 3, 4].map((ms) => ran(ms)), unknown, running], home), undefined);
  });
});
