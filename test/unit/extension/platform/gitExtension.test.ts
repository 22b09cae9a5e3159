import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { type GitApi, openRepositories } from '../../../../src/extension/platform/gitExtension';

const REMOTE = { name: 'origin', fetchUrl: 'https://github.com/acme/docs' };

/** A repository that the Git extension lists before it has read it. */
function unreadRepository(end: 'read' | 'rejected' | 'hung') {
  const state: { HEAD: { name: string } | undefined; remotes: (typeof REMOTE)[] } = { HEAD: undefined, remotes: [] };
  const status = async (): Promise<void> => {
    await new Promise((resolve) => end !== 'hung' && setTimeout(resolve, 1));
    if (end === 'rejected') {
      throw new Error('not a git repository');
    }
    state.HEAD = { name: 'main' };
    state.remotes = [REMOTE];
  };
  return { state, status };
}

const apiWith = (...repositories: unknown[]): GitApi => ({ state: 'initialized', repositories }) as unknown as GitApi;

describe('the open repositories', () => {
  it('have their remotes, even if the Git extension has just opened them', async () => {
    const [first] = await openRepositories(apiWith(unreadRepository('read')));
    deepStrictEqual(first?.state.remotes, [REMOTE]);
  });

  it('are those that can be read, and are waited for only until the limit', async () => {
    const all = [unreadRepository('rejected'), unreadRepository('read'), unreadRepository('hung')];
    const found = await openRepositories(apiWith(...all), 50);
    deepStrictEqual(
      found.map(({ state }) => state.remotes.length),
      [0, 1, 0],
    );
  });

  it('are not read again', async () => {
    let reads = 0;
    const status = async (): Promise<number> => ++reads;
    await openRepositories(apiWith({ state: { HEAD: { name: 'main' }, remotes: [] }, status }));
    strictEqual(reads, 0);
  });
});
