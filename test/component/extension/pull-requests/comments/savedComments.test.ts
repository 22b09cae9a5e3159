import { deepStrictEqual, rejects } from 'node:assert/strict';
import type { Comment, CommentMode, CommentThread } from 'vscode';
import type { DraftComment } from '../../../../../src/extension/features/pull-requests/commentThreads';
import type { ReviewComments } from '../../../../../src/extension/features/pull-requests/reviewComments';
import { ReviewFiles } from '../../../../../src/jobs/store/reviewFiles';
import type { KeptComment } from '../../../../../src/jobs/store/reviewSchema';
import { editor, window } from '../../../../support/fakeEditor';
import { temporaryFolder } from '../../../../support/temporaryRepository';

const nothing = (): undefined => undefined;
const log = { info: nothing, warn: nothing, error: nothing };
const EDITING = editor.CommentMode.Editing as unknown as CommentMode;
const COMMENT: KeptComment = {
  id: 'c1',
  jobKey: 'j',
  uri: 'file:///x',
  path: 'x',
  side: 'new',
  from: 1,
  to: 1,
  quoted: 'q',
  languageId: 'markdown',
  outdated: false,
  text: 'first',
  at: 1,
};

describe('saving an edited review comment', () => {
  let ids = 0;
  let files: ReviewFiles;
  let other: ReviewFiles;
  let review: ReviewComments;
  let threads: CommentThread[];

  beforeEach(async () => {
    const root = await temporaryFolder();
    const newFiles = (): ReviewFiles => new ReviewFiles({ root, newId: () => `id${++ids}`, log });
    [files, other] = [newFiles(), newFiles()];
    threads = [];
    const createCommentThread = (uri: unknown): unknown => {
      const thread = { uri, comments: [], dispose: () => threads.splice(threads.indexOf(thread as never), 1) };
      threads.push(thread as never);
      return thread;
    };
    Object.assign(editor.comments, { createCommentController: () => ({ createCommentThread, dispose: nothing }) });
    Object.assign(window, { showInformationMessage: nothing });
    const { ReviewComments } = await import('../../../../../src/extension/features/pull-requests/reviewComments');
    const store = { jobs: [], get: nothing, onDidChange: () => ({ dispose: nothing }) };
    const counts = { get: () => 0, set: nothing };
    const parts = { files, store, counts, localAvailable: true, newId: () => `new${++ids}`, log };
    review = new ReviewComments(parts as never);
    await files.write(COMMENT);
    await review.load();
  });

  const shown = (): Comment[] => threads.flatMap(({ comments }) => comments);
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
