import { deepStrictEqual } from 'node:assert/strict';
import type { CheckOutOptions, CheckedOut } from '../../../../src/extension/review/checkOut';
import { type CheckoutRecord, CheckoutRecords } from '../../../../src/storage/checkoutRecords';
import '../../../support/fakeEditor';
import { FakeGit } from '../../../support/fakeGit';
import { temporaryFolder } from '../../../support/temporaryRepository';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('the way back from several jobs’ branches', () => {
  let load: typeof import('../../../../src/extension/review/checkOut');
  let JobBranches: typeof import('../../../../src/extension/review/jobBranches').JobBranches;
  let git: FakeGit;
  let root: string;
  let records: CheckoutRecords;

  before(async () => {
    load = await import('../../../../src/extension/review/checkOut');
    ({ JobBranches } = await import('../../../../src/extension/review/jobBranches'));
  });
  beforeEach(async () => {
    root = await temporaryFolder();
    git = new FakeGit(root);
    records = new CheckoutRecords(await temporaryFolder());
  });

  /** As the command does, in a window of its own. */
  const checkOut = async (ref: string, isStashed = true): Promise<CheckedOut['is']> => {
    const { repository } = git;
    const branches = new JobBranches({ records, goBack: async () => undefined, log });
    const keep = await branches.keeper(repository, ref);
    const questions = { stash: async () => isStashed, stashByCommand: async () => undefined };
    const message = `Before ${ref}`;
    const keeps: CheckOutOptions['keep'] = async (progress) => {
      await keep(progress);
    };
    return (await load.checkOut({ repository, ref, at: { local: 'c' }, message, questions, keep: keeps })).is;
  };
  /** What the record says now: branch, what was before, stash. */
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

  it('leads from the second branch to where the first one was left for, with its stash', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    await checkOut('B');
    deepStrictEqual(await way(), [['B', 'main', 's1']]);
    await checkOut('A');
    deepStrictEqual(await way(), [['A', 'main', 's1']]);
  });

  it('leads from the second branch to the first, and then on, when changes were stashed on both ways', async () => {
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

  it('keeps a stash of a branch that was left by hand', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    git.head = 'other';
    await checkOut('B');
    deepStrictEqual(await way(), [
      ['B', 'other', undefined],
      ['A', 'main', 's1'],
    ]);
  });

  it('is as before when the second checkout fails', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    git.refuses = new Error('no');
    deepStrictEqual(await checkOut('B'), 'failed');
    deepStrictEqual(await way(), [['A', 'main', 's1']]);
  });

  it('is as before when the changes were not stashed', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    git.changed = ['edit.md'];
    git.stashFails = true;
    deepStrictEqual(await checkOut('B'), 'notStashed');
    deepStrictEqual(await way(), [['A', 'main', 's1']]);
  });

  it('is as before when not all changes were stashed and those that were are back', async () => {
    git.changed = ['mine.md', 'stays.md'];
    git.stashLeaves = ['stays.md'];
    deepStrictEqual(await checkOut('A'), 'notStashed');
    deepStrictEqual([git.changed.toSorted(), git.stashes, await way()], [['mine.md', 'stays.md'], [], []]);
  });

  it('is kept for changes that stay in a stash because not all could be stashed', async () => {
    git.changed = ['mine.md', 'stays.md'];
    git.stashLeaves = ['stays.md'];
    git.popFails = true;
    deepStrictEqual(await checkOut('A'), 'notStashed');
    deepStrictEqual([git.stashes.length, await way()], [1, [['A', 'main', 's1']]]);
  });

  it('is kept for changes that stay in a stash after git refused the checkout', async () => {
    git.changed = ['mine.md'];
    git.refuses = new Error('no');
    git.popFails = true;
    deepStrictEqual(await checkOut('A'), 'failed');
    deepStrictEqual([git.stashes.length, await way()], [1, [['A', 'main', 's1']]]);
  });

  it('needs no way back where the user comes by it, but for what was stashed', async () => {
    git.changed = ['mine.md'];
    await checkOut('A');
    await checkOut('main');
    deepStrictEqual(await way(), [['A', 'main', 's1']]);
  });
});
