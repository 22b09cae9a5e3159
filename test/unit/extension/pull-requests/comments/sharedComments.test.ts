import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { SharedComments } from '../../../../../src/extension/features/pull-requests/sharedComments';
import type { SavedComment } from '../../../../../src/jobs/store/reviewSchema';
import { COMMENT } from '../../../../component/extension/pull-requests/comments/reviewWindow';

const nothing = (): undefined => undefined;

describe('the comments of all jobs', () => {
  const sent = (id: string, jobKey: string, at: number): SavedComment => {
    return { ...COMMENT, id, jobKey, at, sent: { at, state: 'open', uri: COMMENT.uri, from: 1 } };
  };

  async function open(comments: SavedComment[]): Promise<{ shared: SharedComments; counted: [string, number][] }> {
    const counted: [string, number][] = [];
    const files = {
      all: async () => ({ comments, composed: [] }),
      write: async (comment: SavedComment) =>
        void comments.splice(0, Infinity, ...comments.filter(({ id }) => id !== comment.id), comment),
      remove: async (id: string) =>
        void comments.splice(
          comments.findIndex((each) => each.id === id),
          1,
        ),
    };
    const counts = { set: (jobKey: string, count: number) => void counted.push([jobKey, count]) };
    const log = { info: nothing, warn: nothing, error: nothing };
    const threads = { show: nothing, remove: nothing, isEdited: () => false };
    const shared = new SharedComments({ files, counts, log } as never, threads as never);
    await shared.read();
    return { shared, counted };
  }

  it('are counted once for each job, however many there are', async () => {
    const comments = [
      { ...COMMENT, id: 'a' },
      { ...COMMENT, id: 'b' },
      { ...COMMENT, id: 'c', jobKey: 'k' },
      sent('d', 'k', 1),
    ];
    const { shared, counted } = await open(comments);
    deepStrictEqual(counted.splice(0), [
      ['j', 2],
      ['k', 1],
    ]);
    comments.splice(0, 3);
    await shared.read();
    deepStrictEqual(counted, [
      ['j', 0],
      ['k', 0],
    ]);
  });

  it('are kept up to a maximum number once they were sent, even those of jobs that are no longer used', async () => {
    const comments = Array.from({ length: 2_005 }, (_, at) => sent(`c${at}`, `j${at % 40}`, at));
    const unsent = { ...COMMENT, id: 'new', jobKey: 'j7', at: 3_000 };
    const { shared } = await open([{ ...COMMENT, id: 'draft', at: 0 }, ...comments, unsent]);
    await shared.markSent('new');
    const ids = [...shared.comments.keys()];
    strictEqual(ids.length, 2_001);
    deepStrictEqual(
      [ids.includes('draft'), ids.includes('c5'), ids.includes('c6'), ids.includes('new')],
      [true, false, true, true],
    );
  });
});
