import { deepStrictEqual } from 'node:assert/strict';
import { editor, window } from '../../../support/fakeEditor';
import type { GitRepository } from '../../../../src/extension/platform/gitExtension';
import type { JobRepository } from '../../../../src/extension/platform/jobRepository';
import type { TrackedJob } from '../../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('tab that shows the changes of a job', () => {
  for (const [what, input, isOpen] of [
    ['the view of the changes', undefined, true],
    ['the page of the job, which has the same title', new editor.TabInputWebview(), false],
  ] as const) {
    it(`${isOpen ? 'is' : 'is not'} ${what}`, async () => {
      const { activeView } = await import('../../../../src/extension/features/pull-requests/openChanges');
      const activeTab = { label: 'Document the limits', input };
      window['tabGroups'] = { activeTabGroup: { activeTab }, all: [{ tabs: [activeTab] }] };
      deepStrictEqual(activeView('Document the limits').isOpen(), isOpen);
    });
  }

  for (const typed of ['', 'Why']) {
    it(`is ${typed === '' ? 'closed' : 'kept open while a comment is typed'} when newer changes open`, async () => {
      const { activeView } = await import('../../../../src/extension/features/pull-requests/openChanges');
      const activeTab = { label: 'Document the limits', input: undefined };
      const closed: unknown[] = [];
      const close = (tab: unknown): unknown => closed.push(tab);
      window['tabGroups'] = { activeTabGroup: { activeTab }, all: [{ tabs: [activeTab] }], close };
      const { workspace } = editor as unknown as { workspace: { textDocuments: unknown[] } };
      workspace.textDocuments = [{ uri: { scheme: 'comment' }, getText: () => typed }];
      await activeView('Document the limits').close();
      deepStrictEqual(closed, typed === '' ? [activeTab] : []);
      workspace.textDocuments = [];
    });
  }
});

/** A branch that started at `start`, and has a commit for each of two prompts. */
const COMMITS = ['start', 'first', 'second'];

const since = { jobId: 'k', since: 'lastReview' };
const send = (id: string, text: string) => ({ id, text, kind: 'followUp', at: 0, state: 'created', attempt: 1 });
const job = {
  ...trackedJob({ snapshot: snapshot('completed', { ref: 'docs-agent/j' }), name: 'Limits' } as Partial<TrackedJob>),
  prompts: [send('s1', 'One'), send('s2', 'Two'), send('s3', 'Three')],
} as TrackedJob;

describe('the range of changes to open', () => {
  let shown: string[];
  let reviewed: string | undefined;
  let branch: readonly string[];
  beforeEach(() => {
    [shown, reviewed, branch] = [[], undefined, COMMITS];
    const show = async (text: string): Promise<void> => void shown.push(text);
    Object.assign(window, { showInformationMessage: show, showWarningMessage: show });
  });

  async function range(argument: unknown, reported: 'all' | 'oneRun' | 'nothing' = 'all') {
    const repository: Partial<GitRepository> = {
      state: { HEAD: { name: 'main' }, remotes: [] } as unknown as GitRepository['state'],
      getCommit: async (ref) => {
        const parent = branch[branch.indexOf(ref.replace(/~1$/, '')) - 1];
        return parent === undefined ? Promise.reject(new Error('none')) : { hash: parent, message: '' };
      },
      // Every commit is on one line; others are unknown.
      getMergeBase: async (one, other) => [one, other].find((each) => branch.includes(each) && branch.includes(one)),
    };
    const found = { repository, ref: 'docs-agent/j', remote: undefined } as unknown as JobRepository;
    const rounds = [
      { prompt: 'One', commit: 'first' },
      { prompt: 'Two', commit: 'second' },
      { prompt: 'Three', commit: null },
    ];
    const { chooseRange } = await import('../../../../src/extension/features/pull-requests/openChanges');
    const chosen = await chooseRange({ seen: { reviewedCommit: async () => reviewed } }, argument, {
      ...{ job, found, newest: 'second' },
      reported:
        reported === 'nothing'
          ? undefined
          : { base: 'start', commit: 'second', rounds: reported === 'all' ? rounds : rounds.slice(0, 1) },
    });
    return chosen && [chosen.base, chosen.commit, chosen.title.replace(/^.*?:/, ':'), chosen.isReview, chosen.isAll];
  }

  it('is all work since the start of the branch', async () => {
    deepStrictEqual((await range('k'))?.slice(0, 2), ['start', 'second']);
    deepStrictEqual((await range('k'))?.slice(3), [true, true]);
  });

  it('can be that of one run, which does not count as a review of the whole', async () => {
    deepStrictEqual(await range({ jobKey: 'k', promptId: 's1' }), ['start', 'first', ': run 1', false, false]);
    deepStrictEqual(await range({ jobKey: 'k', promptId: 's2' }), ['first', 'second', ': run 2', false, false]);
    deepStrictEqual(shown, []);
  });

  it('is empty, with the reason, if the changes of a run can’t be shown', async () => {
    deepStrictEqual(await range({ jobKey: 'k', promptId: 's3' }), undefined);
    deepStrictEqual(await range({ jobKey: 'k', promptId: 's1' }, 'nothing'), undefined);
    branch = ['start', 'second'];
    deepStrictEqual(await range({ jobKey: 'k', promptId: 's1' }), undefined);
    deepStrictEqual(shown, [
      'This run made no changes.',
      'The local service didn’t return the job’s changes. Try again.',
      'This run’s commit isn’t in this repository.',
    ]);
  });

  it('is what the last follow-up changed', async () => {
    for (const each of [undefined, 'first', 'second', 'rewritten']) {
      reviewed = each;
      deepStrictEqual(await range(since), ['first', 'second', ': new changes', true, false]);
    }
  });

  it('is what came after the last review if there was only one run', async () => {
    reviewed = 'first';
    deepStrictEqual(await range(since, 'oneRun'), ['first', 'second', ': new changes', true, false]);
    reviewed = 'second';
    deepStrictEqual(await range(since, 'oneRun'), undefined);
    deepStrictEqual(shown.length, 1);
  });

  it('is all work if nothing was reviewed, or if the reviewed commit is gone', async () => {
    for (const gone of [undefined, 'rewritten']) {
      reviewed = gone;
      deepStrictEqual((await range(since, 'oneRun'))?.slice(0, 2), ['start', 'second']);
    }
  });

  it('is empty for a branch without its own commits', async () => {
    branch = [];
    deepStrictEqual(await range('k'), undefined);
    deepStrictEqual(shown, ['Branch docs-agent/j has no new changes. It may already be merged.']);
  });
});
