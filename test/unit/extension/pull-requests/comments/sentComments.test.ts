import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { sentComments, decideOutcomes } from '../../../../../src/extension/features/pull-requests/sentComments';
import type { ComposedComment, SavedComment } from '../../../../../src/jobs/store/reviewSchema';
import type { OutgoingPrompt, TrackedJob } from '../../../../../src/jobs/trackedJob';
import { commentBlock, renderReviewComments } from '../../../../../src/prompt/reviewComments';
import type { Uri } from 'vscode';
import { editor, gitExtension, workspace } from '../../../../support/fakeEditor';
import { snapshot, trackedJob } from '../../../../support/trackedJob';

function comment(id: string, from: number, text: string): SavedComment {
  const place = { jobKey: 'k1', uri: 'git:/a.md', path: 'a.md', side: 'new' as const, from, to: from };
  return { id, ...place, quoted: 'one', languageId: 'markdown', outdated: false, text, at: 1 };
}

function composed(each: SavedComment, at = 2): ComposedComment {
  return { ...commentBlock(each), id: each.id, jobKey: each.jobKey, at };
}

function job(...prompts: string[]): TrackedJob {
  const location = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
  const state = { run: 's1', awaitsActive: false, prLinkBefore: null, unseen: false, untracked: false };
  const sends = prompts.map((prompt, index): OutgoingPrompt => {
    return { id: `s${index + 1}`, kind: 'followUp', text: prompt, at: 3 + index, state: 'queued', attempt: 0 };
  });
  return { key: 'k1', location, prompts: sends, createdAt: 1, updatedAt: 1, ...state };
}

describe('comments in a saved follow-up', () => {
  const typo = comment('a', 1, 'Typo');
  const heading = comment('b', 2, 'Typo in the heading');
  const put = [composed(typo), composed(heading)];
  const both = [typo, heading];
  const of = (given: TrackedJob, notes = put, kept = both, before?: TrackedJob): [string[], number] => {
    const { sent, left } = sentComments(given, before, notes, kept);
    return [[...sent], left];
  };

  it('are sent unless the user removed them from the prompt', () => {
    deepStrictEqual(of(job(renderReviewComments(both))), [['a', 'b'], 0]);
    deepStrictEqual(of(job(renderReviewComments([heading]))), [['b'], 1]);
  });

  it('are sent only if they were inserted, even if another comment contains their text', () => {
    deepStrictEqual(of(job(renderReviewComments([heading])), [composed(heading)]), [['b'], 0]);
  });

  it('are sent if reworded in the prompt, but not if edited at their lines since', () => {
    const prompt = renderReviewComments(both);
    deepStrictEqual(of(job(prompt.replace('> Typo in the heading', '> Blotted'))), [['a', 'b'], 0]);
    deepStrictEqual(of(job(prompt), put, [typo, { ...heading, text: 'Leave it' }]), [['a'], 1]);
  });

  it('are not sent with a follow-up saved before they were inserted, or with a known one', () => {
    const prompt = renderReviewComments(both);
    deepStrictEqual(of(job(prompt), [composed(typo, 9), composed(heading, 9)]), [[], 0]);
    deepStrictEqual(of(job(prompt), put, both, job(prompt)), [[], 0]);
  });

  it('are not confused with a deleted comment on the same line that is still in the prompt', () => {
    const deleted = comment('c', 1, 'Too long');
    deepStrictEqual(of(job(renderReviewComments([deleted])), [composed(typo), composed(deleted)], [typo]), [[], 0]);
  });
});

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
