import { deepStrictEqual, rejects } from 'node:assert/strict';
import type { Comment, CommentMode } from 'vscode';
import type { DraftComment } from '../../../../../src/extension/features/pull-requests/commentThreads';
import type { ReviewComments } from '../../../../../src/extension/features/pull-requests/reviewComments';
import type { ReviewFiles } from '../../../../../src/jobs/store/reviewFiles';
import type { TrackedJob } from '../../../../../src/jobs/trackedJob';
import { editor } from '../../../../support/fakeEditor';
import { temporaryFolder } from '../../../../support/temporaryRepository';
import { COMMENT, newReviewFiles, openReviewWindow } from './reviewWindow';

const EDITING = editor.CommentMode.Editing as unknown as CommentMode;

describe('saving an edited review comment', () => {
  let files: ReviewFiles;
  let other: ReviewFiles;
  let review: ReviewComments;
  let shown: () => Comment[];

  beforeEach(async () => {
    const root = await temporaryFolder();
    other = newReviewFiles(root);
    ({ files, review, shown } = await openReviewWindow(root));
    await files.write(COMMENT);
    await review.load();
  });

  const texts = async (): Promise<string[]> => (await other.all()).comments.map(({ text }) => text).toSorted();

  function begin(): DraftComment {
    const [comment] = shown() as DraftComment[];
    review.edit(comment!, EDITING);
    return comment!;
  }

  async function changeElsewhere(): Promise<void> {
    await other.all();
    await other.write({ ...COMMENT, text: 'an hour of work elsewhere' });
  }

  it('keeps both texts when another window saved its own during the edit', async () => {
    const comment = begin();
    await changeElsewhere();
    await review.load();
    await review.change(comment, 'mine');
    deepStrictEqual(await texts(), ['an hour of work elsewhere', 'mine']);
    deepStrictEqual(
      shown()
        .map(({ body }) => body)
        .toSorted(),
      ['an hour of work elsewhere', 'mine'],
    );
  });

  it('replaces its own earlier text but not another window’s text when saved unchanged', async () => {
    await review.change(begin(), 'second');
    deepStrictEqual(await texts(), ['second']);
    const comment = begin();
    await changeElsewhere();
    await review.change(comment, 'second');
    deepStrictEqual(await texts(), ['an hour of work elsewhere']);
  });

  it('leaves it out of a follow-up that is sent in the meantime, and includes it in the next one', async () => {
    const { takeReviewComments } = await import('../../../../../src/extension/features/pull-requests/commentCommands');
    const take = () => takeReviewComments(review, { key: 'j' } as TrackedJob);
    await files.write({ ...COMMENT, id: 'c2', text: 'other' });
    await review.load();
    const comment = begin();
    comment.body = 'edited';
    const first = await take();
    deepStrictEqual([first.includes('first'), first.includes('other'), comment.mode], [false, true, EDITING]);
    await review.change(comment, comment.body);
    deepStrictEqual((await take()).includes('edited'), true);
  });

  it('keeps the text in the editor when the disk fails and saves it on the next attempt', async () => {
    const write = files.write.bind(files);
    files.write = () => Promise.reject(new Error('full'));
    const comment = begin();
    comment.body = 'mine';
    await rejects(review.change(comment, 'mine'), /full/);
    deepStrictEqual(
      shown().map(({ body, mode }) => [body, mode]),
      [['mine', EDITING]],
    );
    files.write = write;
    await review.change(shown()[0] as DraftComment, 'mine');
    deepStrictEqual(await texts(), ['mine']);
  });
});
