import { deepStrictEqual } from 'node:assert/strict';
import '../../../support/fakeEditor';
import { shownWork } from '../../../../src/extension/features/pull-requests/applyChanges';

/** A repository in which the job's branch is at a commit, and `main` checked out. Commits are letters in one line. */
function found(tip: string | undefined) {
  const repository = {
    state: { HEAD: { name: 'main' }, remotes: [] },
    getBranch: async (ref: string) => {
      if (ref !== 'refs/heads/docs-agent/x' || tip === undefined) {
        throw new Error('no such branch');
      }
      return { name: 'docs-agent/x', commit: tip };
    },
    getMergeBase: async (one: string, other: string) => {
      const [first = '', second = ''] = [one === 'HEAD' ? 'b' : one, other].toSorted();
      return first.length === 1 ? first : second;
    },
  };
  return { repository, ref: 'docs-agent/x', remote: undefined } as never;
}

describe('the work that is applied to the working tree', () => {
  const told = { base: 'a', commit: 'c' };

  it('is what the service names if the branch is there, or was deleted after a merge', async () => {
    deepStrictEqual(await shownWork(found('c'), told), told);
    deepStrictEqual(await shownWork(found(undefined), told), told);
  });

  it('includes what the user has committed to the branch, as the shown changes do', async () => {
    deepStrictEqual(await shownWork(found('d'), told), { base: 'a', commit: 'd' });
  });

  it('is nothing if the user has removed all commits from the branch', async () => {
    deepStrictEqual(await shownWork(found('a'), told), undefined);
  });
});
