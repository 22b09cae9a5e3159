import { deepStrictEqual } from 'node:assert/strict';
import { gitExtension, workspace } from '../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('a branch that was deleted after the merge', () => {
  const ref = 'docs-agent/x';

  function repository(commits: readonly string[]) {
    return {
      rootUri: { fsPath: '/own', path: '/own' },
      state: { HEAD: {}, remotes: [{ name: 'origin', fetchUrl: 'https://github.com/acme/docs' }] },
      getBranch: async () => {
        throw new Error('no such branch');
      },
      getCommit: async (commit: string) => {
        if (!commits.includes(commit)) {
          throw new Error('no such commit');
        }
      },
    };
  }

  it('does not keep the editor from showing the changes, if the repository has the commit', async () => {
    const { isShownHere } = await import('../../../../src/extension/features/pull-requests/openChanges');
    const job = trackedJob({
      snapshot: { ...snapshot('completed', { ref }), repository: 'https://github.com/acme/docs' },
    });
    Object.assign(workspace, { isTrusted: true, workspaceFolders: [] });
    const told = { base: 'a', commit: 'c' };
    try {
      gitExtension.api = { state: 'initialized', repositories: [repository(['c'])] };
      deepStrictEqual(await isShownHere(job, true, told), true);
      deepStrictEqual(await isShownHere(job, true, undefined), false);
      gitExtension.api = { state: 'initialized', repositories: [repository([])] };
      deepStrictEqual(await isShownHere(job, true, told), false);
    } finally {
      gitExtension.api = undefined;
    }
  });
});

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
