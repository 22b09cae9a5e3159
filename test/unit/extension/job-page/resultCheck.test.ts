import { deepStrictEqual, match, strictEqual, ok } from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { JobResult } from '../../../../src/extension/features/job-page/jobResults';
import { PageContent, type PageContentOptions } from '../../../../src/extension/features/job-page/pageContent';
import type { CheckedResult } from '../../../../src/checks/process/runCheck';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { jobDescriber } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';
import type { Finding } from '../../../../src/checks/finding';
import { fixRequest } from '../../../../src/extension/features/job-page/resultCheckModel';
import { resultCheckModel } from '../../../../src/extension/features/job-page/resultCheckModel';
import {
  brokenLink,
  coverage,
  missingImage,
  place,
  SAMPLE_FINDINGS as ALL,
  unknownName,
} from '../../../support/findings';

const CHANGES = { files: [], more: 1, added: 1, deleted: 0, canOpen: true };
const NONE = { findings: [], more: 0, coverage: coverage(1) };

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

  fail(at: number): void {
    this.ends[at]?.(undefined);
  }

  aborted(): boolean[] {
    return this.signals.map(({ aborted }) => aborted);
  }
}

describe('the check of a result, on the job’s page', () => {
  const job = (more: Partial<TrackedJob> = {}): TrackedJob =>
    trackedJob({ snapshot: snapshot('completed', { ref: 'docs-agent/x' }), ...more });

  interface Given {
    /** When false, nothing is known until the branch has been fetched. */
    isThere?: boolean;
    fetch?: () => Promise<void>;
    /** Calls back when a repository is opened. */
    onDidOpenRepository?: (listener: () => void) => { dispose: () => void };
    /** Whether the job's repository is open. */
    isOpen?: () => boolean;
  }

  function open(check: RunningCheck, given: Given = {}): PageContent {
    const nothing = () => ({ dispose: () => undefined });
    const { isThere = true, fetch, onDidOpenRepository = nothing, isOpen = () => true } = given;
    const result: JobResult = {
      ...{ changes: CHANGES, commit: undefined, reviewable: new Set<string>(), diff: Promise.resolve([]) },
      check: check.start,
    };
    let isKnown = isThere;
    const fetched = async () => {
      await fetch?.();
      isKnown = true;
    };
    const branch = { ref: 'docs-agent/x', remote: 'origin', folder: 'docs', isThere, fetch: fetched };
    const options = {
      store: { get: () => job(), eventsOf: () => [], jobs: [] },
      pulls: { get: () => undefined, endedAt: () => undefined },
      describer: jobDescriber(),
      follower: { follow: async () => undefined },
      results: {
        changes: async () => (isKnown && isOpen() ? result : undefined),
        branchToFetch: async () => (fetch === undefined || !isOpen() ? undefined : branch),
        onDidOpenRepository,
      },
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
      'Checked against the code: no problems in the lines added to 1 page.',
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

  it('is repeated, and its old result hidden, when the job has changed', async () => {
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

  const ACTION = { id: 'fetchAndCheck', label: 'Fetch and Check' };

  it('is offered for a branch that isn’t there, which is fetched only when the user asks', async () => {
    const check = new RunningCheck();
    let fetches = 0;
    let end = (): void => undefined;
    const fetch = (): Promise<void> => {
      fetches++;
      return new Promise((resolve) => (end = resolve));
    };
    const content = open(check, { isThere: false, fetch });
    content.model(job());
    await setImmediate();
    deepStrictEqual(content.model(job()).check, {
      title: 'Branch docs-agent/x isn’t in docs yet.',
      findings: [],
      action: ACTION,
    });
    deepStrictEqual([fetches, check.signals.length], [0, 0]);
    const asked = content.fetchAndCheck(job());
    void content.fetchAndCheck(job());
    const { title, action } = content.model(job()).check ?? {};
    deepStrictEqual([title, action, fetches], ['Fetching branch docs-agent/x…', { ...ACTION, isBusy: true }, 1]);
    end();
    await asked;
    content.model(job());
    await setImmediate();
    strictEqual(content.model(job()).check?.title, 'Checking the added lines…');
    check.end(0);
    await setImmediate();
    const done = content.model(job());
    deepStrictEqual([done.changes?.more, done.check?.action], [1, undefined]);
    match(done.check?.title ?? '', /no problems in the lines added/);
    content.rest();
    content.model(job());
    await setImmediate();
    strictEqual(fetches, 1);
    content.dispose();
  });

  it('says why the branch couldn’t be fetched, and offers to try again', async () => {
    const refuse = async (): Promise<void> => {
      throw Object.assign(new Error('git failed'), { stderr: 'fatal: couldn’t find remote ref\n' });
    };
    const content = open(new RunningCheck(), { isThere: false, fetch: refuse });
    content.model(job());
    await setImmediate();
    await content.fetchAndCheck(job());
    const { title, action } = content.model(job()).check ?? {};
    deepStrictEqual(
      [title, action],
      ['Couldn’t fetch branch docs-agent/x from origin: couldn’t find remote ref.', ACTION],
    );
    content.dispose();
  });

  it('does not run on commits that are older than the last prompt', async () => {
    const check = new RunningCheck();
    const content = open(check, { isThere: true, fetch: async () => undefined });
    content.model(job());
    await setImmediate();
    const shown = content.model(job());
    strictEqual(shown.check?.title, 'Branch docs-agent/x may have newer commits that aren’t in docs yet.');
    deepStrictEqual([shown.changes?.more, check.signals.length], [1, 0]);
    content.dispose();
  });

  it('offers no fetch for merged work', async () => {
    const link = 'https://github.com/acme/docs/pull/1';
    const surroundings = { pullRequest: { url: link, state: 'merged' as const } };
    const merged = trackedJob({ snapshot: snapshot('completed', { prLink: link, surroundings }), endedAt: 1 });
    const content = open(new RunningCheck(), { isThere: false, fetch: async () => undefined });
    content.model(merged);
    await setImmediate();
    strictEqual(content.model(merged).check, undefined);
    content.dispose();
  });

  it('is offered as soon as the job’s repository is opened, and another one changes nothing', async () => {
    const check = new RunningCheck();
    const state = { isOpen: false, opened: (): void => undefined };
    const onDidOpenRepository = (listener: () => void) => {
      state.opened = listener;
      return { dispose: () => undefined };
    };
    const fetch = async (): Promise<void> => undefined;
    const content = open(check, { isThere: false, fetch, onDidOpenRepository, isOpen: () => state.isOpen });
    content.model(job());
    await setImmediate();
    strictEqual(content.model(job()).check, undefined);
    for (const isOpen of [false, true]) {
      state.isOpen = isOpen;
      state.opened();
      content.model(job());
      await setImmediate();
      strictEqual(content.model(job()).check?.title, isOpen ? 'Branch docs-agent/x isn’t in docs yet.' : undefined);
    }
    await content.fetchAndCheck(job());
    content.model(job());
    await setImmediate();
    state.opened();
    content.model(job());
    deepStrictEqual(check.aborted(), [false]);
    content.dispose();
  });

  it('ends with a reason when the user has asked for it and there is no result', async () => {
    const check = new RunningCheck();
    const content = open(check, { isThere: false, fetch: async () => undefined });
    content.model(job());
    await setImmediate();
    await content.fetchAndCheck(job());
    content.model(job());
    await setImmediate();
    check.fail(0);
    await setImmediate();
    strictEqual(content.model(job()).check?.title, 'The added lines couldn’t be checked. The log says why.');
    content.dispose();
  });
});

describe('the check of a result on the page of a job', () => {
  const model = (findings: readonly Finding[], more: number, covered = coverage(2)) =>
    resultCheckModel({ findings, more, coverage: covered });

  it('says on one line that nothing was found, and nothing if no page has new lines', () => {
    strictEqual(model([], 0)?.title, 'Checked against the code: no problems in the lines added to 2 pages.');
    deepStrictEqual(model([], 0, coverage(1)), {
      title: 'Checked against the code: no problems in the lines added to 1 page.',
      findings: [],
    });
    strictEqual(model([], 0, coverage(0, 'shallow')), undefined);
  });

  it('lists what was found, each with its page and line, and a follow-up about it', () => {
    const shown = model(ALL.slice(0, 1), 0);
    deepStrictEqual(
      [shown?.title, shown?.findings, shown?.more],
      [
        '1 problem in the added lines',
        [{ place: 'docs/a.md:3', text: '“--retry⟨U+200B⟩-`max`” was not found in the code.' }],
        undefined,
      ],
    );
    const many = model(ALL, 1_000);
    deepStrictEqual([many?.title, many?.more], ['1,010 problems in the added lines', '… and 1,000 more']);
    ok(many?.request?.includes('found 1,010 problems'));
  });

  it('says briefly what was not checked', () => {
    strictEqual(model([], 0, coverage(1, 'shallow', 'time'))?.notChecked?.startsWith('The time limit'), true);
    strictEqual(
      model([], 0, coverage(1, 'shallow'))?.notChecked,
      'The clone is shallow, so its history wasn’t searched.',
    );
    strictEqual(model([], 0, coverage(1, 'submodule'))?.notChecked, 'Not everything could be checked.');
  });

  it('is bounded, whatever a repository contains', () => {
    const long = 'x\u202e'.repeat(5_000);
    const findings = Array.from({ length: 100 }, () =>
      missingImage({ place: place(long.slice(0, 4_096), 1), target: long.slice(0, 300) }),
    );
    const shown = model(findings, 0);
    ok(JSON.stringify(shown?.findings).length < 200_000);
    ok((shown?.request?.length ?? 0) < 500_000);
    ok(!JSON.stringify(shown).includes('\u202e'));
  });
});

describe('the follow-up about the check of a result', () => {
  it('lists each problem in one line, with foreign text in code font', () => {
    const [task, empty, ...lines] = fixRequest([brokenLink(), unknownName()], 2).split('\n');
    match(task ?? '', /^A check of the lines that you added found 4 problems\. /);
    strictEqual(empty, '');
    deepStrictEqual(lines, [
      '- `docs/b.md`, line 1: The link `x.md` doesn’t lead to a file.',
      '- `docs/a.md`, line 3: `` --retry[U+200B]-`max` `` was not found in the code.',
      '- … and 2 more',
    ]);
  });
});
