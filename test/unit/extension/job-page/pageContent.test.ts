import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import {
  type JobResult,
  PageContent,
  type PageContentOptions,
} from '../../../../src/extension/features/job-page/pageContent';
import type { CheckedResult } from '../../../../src/extension/features/job-page/resultChecks';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const CHANGES = { files: [], more: 1, added: 1, deleted: 0, canOpen: true };
const NONE = { findings: [], more: 0, coverage: { pages: 1, names: 0, notChecked: [] } };

/** A check that runs until it is told its result, or is aborted. */
class RunningCheck {
  readonly signals: AbortSignal[] = [];
  private readonly ends: ((result: CheckedResult | undefined) => void)[] = [];

  readonly start = (signal: AbortSignal): Promise<CheckedResult | undefined> =>
    new Promise((resolve) => {
      this.signals.push(signal);
      this.ends.push(resolve);
      signal.addEventListener('abort', () => resolve(undefined));
    });

  end(at: number): void {
    this.ends[at]?.(NONE);
  }

  aborted(): boolean[] {
    return this.signals.map(({ aborted }) => aborted);
  }
}

describe('the check of a result, on the page of a job', () => {
  const job = (more: Partial<TrackedJob> = {}): TrackedJob =>
    trackedJob({ snapshot: snapshot('completed', { ref: 'docs-agent/x' }), ...more });

  function open(check: RunningCheck): PageContent {
    const nothing = () => ({ dispose: () => undefined });
    const result: JobResult = {
      ...{ changes: CHANGES, commit: undefined, runs: new Set<string>(), diff: Promise.resolve([]) },
      check: check.start,
    };
    const options = {
      store: { get: () => job(), eventsOf: () => [], jobs: [] },
      poller: { health: () => undefined },
      unchecked: { spans: () => [] },
      pulls: { of: () => undefined, onDidChange: nothing },
      previews: { isOffered: () => false },
      seen: { hasNew: () => false, onDidChange: nothing },
      story: { follow: nothing, changes: async () => result },
      log: { info: nothing, warn: nothing, error: nothing },
    };
    return new PageContent('k', options as unknown as PageContentOptions, () => undefined);
  }

  it('appears when it has ended, and is not started again for the same state', async () => {
    const check = new RunningCheck();
    const content = open(check);
    strictEqual(content.model(job()).check, undefined);
    await setImmediate();
    check.end(0);
    await setImmediate();
    strictEqual(
      content.model(job()).check?.title,
      'Checked against the code: no problems found in the lines added to 1 page.',
    );
    deepStrictEqual(check.aborted(), [false]);
    content.dispose();
  });

  for (const [what, leave] of [
    ['hidden', (content: PageContent) => content.rest()],
    ['closed', (content: PageContent) => content.dispose()],
  ] as const) {
    it(`ends when the page is ${what}`, async () => {
      const check = new RunningCheck();
      const content = open(check);
      content.model(job());
      await setImmediate();
      leave(content);
      deepStrictEqual(check.aborted(), [true]);
    });
  }

  it('is done anew, and no longer shown, when the job has changed', async () => {
    const check = new RunningCheck();
    const content = open(check);
    content.model(job());
    await setImmediate();
    content.model(job({ run: 'another' }));
    await setImmediate();
    deepStrictEqual(check.aborted(), [true, false]);
    strictEqual(content.model(job({ run: 'another' })).check, undefined);
    check.end(1);
    await setImmediate();
    strictEqual(content.model(job({ run: 'another' })).check === undefined, false);
    content.dispose();
  });
});
