import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Uri } from 'vscode';
import { decideOutcomes } from '../../../../../src/extension/features/pull-requests/sentComments';
import type { SavedComment } from '../../../../../src/jobs/store/reviewSchema';
import { editor, gitExtension, workspace } from '../../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../../support/trackedJob';

const BEFORE = 'one\ntwo\nthree';
const AFTER = 'ONE\ntwo\nTHREE';

function sent(line: number): SavedComment {
  const place = { jobKey: 'k', uri: 'git:/a.md?old', path: 'a.md', side: 'new' as const, from: line, to: line };
  const quoted = BEFORE.split('\n')[line - 1]!;
  const state = { at: 1, state: 'sent' as const, uri: place.uri, from: line };
  return {
    id: `c${line}`,
    ...place,
    quoted,
    languageId: 'markdown',
    outdated: false,
    text: 'Text',
    at: 1,
    sent: state,
  };
}

describe('the outcomes of comments at the end of a run', () => {
  /** Counts the turns of the event loop. */
  let turn = 0;
  let isOver = false;
  const reads: string[] = [];

  beforeEach(() => {
    [turn, isOver] = [0, false];
    reads.length = 0;
    const count = (): void => {
      turn += 1;
      if (!isOver) {
        setImmediate(count);
      }
    };
    setImmediate(count);
    const commits: Record<string, string> = { 'refs/heads/x': 'new' };
    const repository = {
      rootUri: { fsPath: '/docs', path: '/docs' },
      state: { remotes: [], HEAD: { name: 'main' } },
      getBranch: async (ref: string) => ({ name: 'x', commit: commits[ref] }),
      getMergeBase: async () => 'base',
    };
    gitExtension.api = { state: 'initialized', repositories: [repository] };
    const at = (root: Uri, path: string) => ({
      with: ({ query }: { query: string }) => {
        const { commit } = JSON.parse(query) as { commit: string };
        return { toString: () => `git:${root.path}/${path}?${commit}` };
      },
    });
    Object.assign(editor.Uri, { joinPath: at });
    Object.assign(workspace, {
      isTrusted: true,
      workspaceFolders: [],
      openTextDocument: async (uri: Uri) => {
        reads.push(`${uri.toString()} ${turn}`);
        return { getText: () => (uri.toString().endsWith('new') ? AFTER : BEFORE) };
      },
    });
  });

  const { joinPath } = editor.Uri;
  afterEach(() => {
    Object.assign(editor.Uri, { joinPath });
    isOver = true;
  });

  it('are decided one by one, so that the editor stays responsive when many are on a rewritten page', async () => {
    const job = trackedJob({ endedAt: 2, snapshot: snapshot('completed', { ref: 'x', repository: '/docs' }) });
    const found = await decideOutcomes(job, [1, 2, 3].map(sent), true);
    deepStrictEqual(
      found.map(({ now }) => now.sent?.state),
      ['addressed', 'open', 'addressed'],
    );
    const turns = reads.filter((each) => each.includes('new')).map((each) => each.split(' ')[1]);
    strictEqual(new Set(turns).size, 3);
  });
});
