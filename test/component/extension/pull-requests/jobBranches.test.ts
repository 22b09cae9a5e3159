import { deepStrictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { CheckoutResult, CheckOutOptions } from '../../../../src/extension/features/pull-requests/checkOut';
import { type CheckoutRecord, CheckoutRecords } from '../../../../src/jobs/store/checkoutRecords';
import { waitUntil } from '../../../contract/contractBench';
import { gitExtension, window } from '../../../support/fakeEditor';
import { FakeGit } from '../../../support/fakeGit';
import { temporaryFolder } from '../../../support/temporaryRepository';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('record for going back from several jobs’ branches', () => {
  let load: typeof import('../../../../src/extension/features/pull-requests/checkOut');
  let JobBranches: typeof import('../../../../src/extension/features/pull-requests/jobBranches').JobBranches;
  let git: FakeGit;
  let root: string;
  let records: CheckoutRecords;

  before(async () => {
    load = await import('../../../../src/extension/features/pull-requests/checkOut');
    ({ JobBranches } = await import('../../../../src/extension/features/pull-requests/jobBranches'));
  });
  beforeEach(async () => {
    root = await temporaryFolder();
    git = new FakeGit(root);
    records = new CheckoutRecords(await temporaryFolder());
  });

  /** Checks out a branch like the command does, with a new `JobBranches` as in a new window. */
  const checkOut = async (ref: string, isStashed = true): Promise<CheckoutResult['is']> => {
    const { repository, git: reading } = git;
    const branches = new JobBranches({ records, goBack: async () => undefined, log });
    const keep = await branches.keeper(repository, ref);
    const questions = { stash: async () => isStashed, stashByCommand: async () => undefined };
    const message = `Before ${ref}`;
    const keeps: CheckOutOptions['keep'] = async (progress) => {
      await keep(progress);
    };
    return (await load.checkOut({ repository, git: reading, ref, at: { local: 'c' }, message, questions, keep: keeps }))
      .is;
  };
  /** The recorded checkouts: branch, previous branch and commit of the stash. */
  const way = async (): Promise<(string | undefined)[][]> => {
    const all = await records.all();
    return all.flatMap((top) =>
      [top, ...(top.earlier ?? [])].map((each) => [each.ref, each.before, each.stash?.commit]),
    );
  };
  const top = async (): Promise<CheckoutRecord> => {
    const [record] = await records.all();
    return record ?? Promise.reject(new Error('there is no record'));
  };

  it('leads from the second branch to where the first started, with its stash', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    await checkOut('B');
    deepStrictEqual(await way(), [['B', 'main', 's1']]);
    await checkOut('A');
    deepStrictEqual(await way(), [['A', 'main', 's1']]);
  });

  it('leads from the second branch to the first and then back when changes were stashed both times', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    git.changed = ['edit.md'];
    await checkOut('B');
    const first = ['A', 'main', 's1'];
    deepStrictEqual(await way(), [['B', 'A', 's2'], first]);
    await records.drop(await top());
    deepStrictEqual(await way(), [first]);
    await records.drop(await top());
    deepStrictEqual(await way(), []);
  });

  it('keeps the stash of a branch that the user left without the command', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    git.head = 'other';
    await checkOut('B');
    deepStrictEqual(await way(), [
      ['B', 'other', undefined],
      ['A', 'main', 's1'],
    ]);
  });

  it('stays unchanged when the second checkout fails', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    git.refuses = new Error('no');
    deepStrictEqual(await checkOut('B'), 'failed');
    deepStrictEqual(await way(), [['A', 'main', 's1']]);
  });

  it('stays unchanged when stashing fails', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    git.changed = ['edit.md'];
    git.stashFails = true;
    deepStrictEqual(await checkOut('B'), 'notStashed');
    deepStrictEqual(await way(), [['A', 'main', 's1']]);
  });

  it('stays unchanged when a partial stash was undone', async () => {
    git.changed = ['mine.md', 'stays.md'];
    git.stashLeaves = ['stays.md'];
    deepStrictEqual(await checkOut('A'), 'notStashed');
    deepStrictEqual([git.changed.toSorted(), git.stashes, await way()], [['mine.md', 'stays.md'], [], []]);
  });

  it('is kept for changes left in a stash after stashing only partly succeeded', async () => {
    git.changed = ['mine.md', 'stays.md'];
    git.stashLeaves = ['stays.md'];
    git.popFails = true;
    deepStrictEqual(await checkOut('A'), 'notStashed');
    deepStrictEqual([git.stashes.length, await way()], [1, [['A', 'main', 's1']]]);
  });

  it('is kept for changes left in a stash after git refused the checkout', async () => {
    git.changed = ['mine.md'];
    git.refuses = new Error('no');
    git.popFails = true;
    deepStrictEqual(await checkOut('A'), 'failed');
    deepStrictEqual([git.stashes.length, await way()], [1, [['A', 'main', 's1']]]);
  });

  /** Creates `JobBranches` with the repository open, or opened later through `open`. */
  const open = (isOpen = true) => {
    const shown: string[] = [];
    const api = { state: 'initialized', isOpen, opened: () => undefined as unknown };
    gitExtension.api = {
      state: 'initialized',
      get repositories() {
        return api.isOpen ? [git.repository] : [];
      },
      onDidOpenRepository: (listener: (repository: unknown) => void) => {
        api.opened = () => {
          api.isOpen = true;
          listener(git.repository);
        };
        return { dispose: () => undefined };
      },
    };
    const item = { text: '', show: () => void shown.push(item.text), dispose: () => void shown.push('') };
    Object.assign(window, { createStatusBarItem: () => item, showWarningMessage: async () => undefined });
    const branches = new JobBranches({ records, goBack: async () => undefined, log });
    return { branches, shown, open: () => api.opened() };
  };
  const settle = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

  it('is tracked by a single listener without running git for each saved file', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    const { branches, shown } = open();
    await branches.restore();
    const { commitsRead } = git;
    for (let times = 0; times < 5; times += 1) {
      git.changed = [`edit${times}.md`];
      git.listeners.forEach((listener) => listener());
      await settle();
    }
    deepStrictEqual([git.listeners.size, git.commitsRead, shown.length], [1, commitsRead, 1]);
    git.head = 'main';
    git.listeners.forEach((listener) => listener());
    await waitUntil(() => shown.at(-1) === '$(archive) Stashed changes · Back to main');
  });

  it('is shown when the repository is opened after the window has started', async () => {
    await checkOut('A');
    const { branches, shown, open: openLater } = open(false);
    await branches.restore();
    deepStrictEqual(shown, []);
    openLater();
    await waitUntil(() => shown.length > 0);
    deepStrictEqual(shown, ['$(git-branch) On A · Back to main']);
  });

  it('can be left from where it is checked out again, too', async () => {
    await checkOut('A');
    const { branches } = open();
    await branches.restore();
    deepStrictEqual(branches.recordOf(git.repository)?.before, 'main');
    git.head = 'other';
    await branches.restore();
    deepStrictEqual(branches.recordOf(git.repository), undefined);
  });

  it('is not dropped through an outdated copy', async () => {
    await records.keep({ root, ref: 'A', before: 'main', step: 'switching' });
    const old = await top();
    await records.keep({ root, ref: 'A', before: 'main', step: 'there' });
    deepStrictEqual([await records.drop(old), (await top()).step], [false, 'there']);
  });

  it('is not dropped while a checkout is in progress', async () => {
    const { branches } = open();
    const keep = await branches.keeper(git.repository, 'A');
    await keep({ before: 'main', step: 'switching' });
    await branches.restore();
    deepStrictEqual((await top()).step, 'switching');
    git.head = 'other';
    await keep(undefined);
    deepStrictEqual(await way(), []);
  });

  const OTHER = process.ppid;
  // The process ID of a process that has ended.
  const GONE = spawnSync(process.execPath, ['--version']).pid;
  for (const [what, isLeft, by] of [
    ['is left alone while another window is in the middle of it', true, { pid: OTHER, at: Date.now() }],
    ['is dropped when that window has ended', false, { pid: GONE, at: Date.now() }],
    ['is dropped when it takes too long to be still under way', false, { pid: OTHER, at: Date.now() - 3_600_000 }],
  ] as const) {
    it(what, async () => {
      await records.keep({ root, ref: 'A', before: 'main', step: 'stashing', message: 'Before A', by });
      const { branches, shown } = open();
      await branches.restore();
      deepStrictEqual([(await records.all()).length, shown], [isLeft ? 1 : 0, []]);
    });
  }

  it('is not created when the target branch is the starting point, but an existing stash is kept', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    await checkOut('main');
    deepStrictEqual(await way(), [['A', 'main', 's1']]);
  });
});
