import { deepStrictEqual } from 'node:assert/strict';
import { sentComments } from '../../../../../src/extension/features/pull-requests/sentComments';
import type { ComposedComment, SavedComment } from '../../../../../src/jobs/store/reviewSchema';
import type { OutgoingPrompt, TrackedJob } from '../../../../../src/jobs/trackedJob';
import { commentBlock, renderReviewComments } from '../../../../../src/prompt/reviewComments';

function comment(id: string, from: number, text: string): SavedComment {
  const place = { jobKey: 'k1', uri: 'git:/a.md', path: 'a.md', side: 'new' as const, from, to: from };
  return { id, ...place, quoted: 'one', languageId: 'markdown', outdated: false, text, at: 1 };
}

function composed(each: SavedComment, at = 2): ComposedComment {
  return { ...commentBlock(each), id: each.id, jobKey: each.jobKey, at };
}

function job(...prompts: string[]): TrackedJob {
  const home = { service: 'https://docs.example', baseUrl: 'https://docs.example', projectId: 'p1' };
  const state = { run: 's1', awaitsActive: false, prLinkBefore: null, unseen: false, untracked: false, pinned: false };
  const sends = prompts.map((prompt, index): OutgoingPrompt => {
    return { id: `s${index + 1}`, kind: 'followUp', text: prompt, at: 3 + index, state: 'queued', attempt: 0 };
  });
  return { key: 'k1', home, prompts: sends, createdAt: 1, updatedAt: 1, ...state };
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
