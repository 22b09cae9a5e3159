import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Uri } from 'vscode';
import type { DraftComment } from '../../../../../src/extension/features/pull-requests/commentThreads';
import type { SavedComment } from '../../../../../src/jobs/store/reviewSchema';
import type { TrackedJob } from '../../../../../src/jobs/trackedJob';
import { renderReviewComments } from '../../../../../src/prompt/reviewComments';
import { editor, gitExtension, workspace } from '../../../../support/fakeEditor';
import { temporaryFolder } from '../../../../support/temporaryRepository';
import { snapshot } from '../../../../support/trackedJob';
import { COMMENT, openReviewWindow, type ReviewWindow } from './reviewWindow';

const OLD = 'git:/x?old';
const NEW = 'git:/x?new';

function job(...prompts: string[]): TrackedJob {
  const sent = prompts.map((text, index) => ({ id: `s${index}`, text, at: Infinity, state: 'created' }));
  return { key: 'j', location: { service: 'local', projectId: 'p' }, prompts: sent } as unknown as TrackedJob;
}

/** Waits for something that happens in a later turn. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isTrue(); tries += 1) {
    await delay(10);
  }
}

describe('comments that were sent', () => {
  const texts = new Map<string, string>();
  let root: string;
  let first: ReviewWindow;

  const write = (id: string, line: number, quoted: string): SavedComment => {
    return { ...COMMENT, id, uri: OLD, from: line, to: line, quoted, text: `About ${quoted}`, at: line };
  };
  const send = async ({ review, change }: ReviewWindow): Promise<void> => {
    await review.load();
    change(job());
    const comments = await review.get('j');
    await review.compose(comments);
    change(job(renderReviewComments(comments)));
    await review.get('j');
  };
  const show = ({ review }: ReviewWindow, uri: string, endedAt?: number): Promise<void> =>
    review.show(
      { jobKey: 'j', repository: { rootUri: { path: '/' } as Uri }, base: 'b', commit: uri, endedAt },
      () => ({ toString: () => uri }) as Uri,
    );
  const labels = ({ threads }: ReviewWindow): unknown[] =>
    threads.map(({ uri, comments, contextValue, collapsibleState, label }) => {
      const [comment] = comments as DraftComment[];
      return [uri.toString(), comment?.saved.from, contextValue, label, collapsibleState];
    });

  beforeEach(async () => {
    root = await temporaryFolder();
    texts.clear();
    Object.assign(workspace, {
      openTextDocument: (uri: Uri) => {
        const text = texts.get(uri.toString());
        return text === undefined
          ? Promise.reject(new Error('no such file'))
          : Promise.resolve({ getText: () => text, lineCount: text.split('\n').length });
      },
    });
    texts.set(OLD, 'one\ntwo\nthree');
    first = await openReviewWindow(root);
    await first.files.write(write('c1', 1, 'one'));
    await first.files.write(write('c2', 2, 'two'));
    await send(first);
  });

  it('stay at their lines, collapsed, in every window, and don’t count as unsent', async () => {
    const other = await openReviewWindow(root);
    await other.review.load();
    for (const window of [first, other]) {
      deepStrictEqual(labels(window), [
        [OLD, 1, 'sent', 'Sent', 0],
        [OLD, 2, 'sent', 'Sent', 0],
      ]);
      strictEqual(window.counts.get('j'), 0);
      deepStrictEqual(await window.review.get('j'), []);
    }
  });

  it('name their job on a file of the working tree', async () => {
    await first.files.write({ ...COMMENT, id: 'c3' });
    await send(first);
    deepStrictEqual(labels(first).at(-1), [COMMENT.uri, 1, 'sent', 'Sent to “Job”', 0]);
  });

  it('differ from unsent ones, which say that once and note when their lines are outdated', async () => {
    await first.files.write({ ...COMMENT, id: 'c3' });
    await first.files.write({ ...COMMENT, id: 'c4', outdated: true });
    await first.review.load();
    deepStrictEqual(
      first.threads.slice(-2).map(({ label, comments }) => [label, comments[0]?.label]),
      [
        ['Not sent. The paper plane sends all.', ''],
        ['Not sent. The paper plane sends all.', 'On an older version of these lines'],
      ],
    );
  });

  it('are open or addressed after the next run, and move with their lines', async () => {
    texts.set(NEW, 'zero\none\nTWO\nthree');
    await show(first, NEW);
    const found = [
      [NEW, 2, 'open', 'Still open: this text hasn’t changed', 0],
      [NEW, 3, 'addressed', 'Addressed: this text has changed', 0],
    ];
    deepStrictEqual(labels(first), found);
    const other = await openReviewWindow(root);
    await other.review.load();
    deepStrictEqual(labels(other), found);
  });

  it('are open when the run changed nothing, but not before it has ended', async () => {
    await show(first, OLD, 1);
    deepStrictEqual(
      labels(first).map((label) => (label as string[])[2]),
      ['sent', 'sent'],
    );
    await show(first, OLD, Date.now() + 1000);
    deepStrictEqual(
      labels(first).map((label) => (label as string[])[2]),
      ['open', 'open'],
    );
  });

  it('are open or addressed as soon as the run ends, even before the new changes are opened', async () => {
    texts.set(NEW, 'zero\none\nTWO\nthree');
    const { change, review } = first;
    const states = (): unknown[] => labels(first).map((label) => (label as unknown[]).slice(0, 3));
    const prompt = renderReviewComments((await first.files.all()).comments);
    const at = (endedAt: number | undefined, status: string): TrackedJob => ({
      ...{ ...job(prompt), endedAt, snapshot: snapshot(status, { ref: 'docs-agent/j' }) },
    });
    Object.assign(workspace, { isTrusted: true, workspaceFolders: [] });
    const withPart = ({ query }: { query: string }): unknown => {
      const { commit } = JSON.parse(query) as { commit: string };
      return { toString: () => `git:/x?${commit}` };
    };
    const { joinPath } = editor.Uri;
    Object.assign(editor.Uri, { joinPath: () => ({ with: withPart }) });
    const repository = {
      rootUri: { fsPath: '/x' },
      state: { HEAD: {}, remotes: [] },
      getBranch: async () => ({ name: 'docs-agent/j', commit: 'new' }),
      getMergeBase: async () => 'old',
    };
    gitExtension.api = { state: 'initialized', repositories: [repository] };
    try {
      const waiting = at(Date.now() + 1000, 'completed');
      change({ ...waiting, prompts: waiting.prompts.map((prompt) => ({ ...prompt, state: 'waiting' as const })) });
      await review.get('j');
      deepStrictEqual(states(), [
        [OLD, 1, 'sent'],
        [OLD, 2, 'sent'],
      ]);
      change(at(undefined, 'active'));
      change(at(Date.now() + 2000, 'completed'));
      await until(() => !JSON.stringify(states()).includes('sent'));
      deepStrictEqual(states(), [
        [OLD, 1, 'open'],
        [OLD, 2, 'addressed'],
      ]);
    } finally {
      Object.assign(editor.Uri, { joinPath });
      gitExtension.api = undefined;
    }
    // And at their new lines, once the new changes are opened.
    await show(first, NEW, Date.now() + 3000);
    deepStrictEqual(states(), [
      [NEW, 2, 'open'],
      [NEW, 3, 'addressed'],
    ]);
  });

  it('are open as soon as the run fails', async () => {
    first.change({ ...job(), endedAt: Date.now() + 1000, snapshot: snapshot('failed') });
    await until(() => labels(first).every((label) => (label as string[])[2] === 'open'));
    deepStrictEqual(
      labels(first).map((label) => (label as string[])[2]),
      ['open', 'open'],
    );
  });

  it('stay sent when other work is shown before their follow-up has run', async () => {
    texts.set(NEW, 'zero\none\nTWO\nthree');
    const waiting = job('Do it');
    first.change({
      ...waiting,
      prompts: waiting.prompts.map((prompt) => ({ ...prompt, kind: 'followUp', state: 'waiting' })),
    });
    await show(first, NEW, Date.now() + 1000);
    deepStrictEqual(
      labels(first).map((label) => (label as unknown[]).slice(0, 3)),
      [
        [NEW, 2, 'sent'],
        [NEW, 2, 'sent'],
      ],
    );
  });

  it('are addressed when their file was deleted', async () => {
    await show(first, NEW);
    deepStrictEqual(
      labels(first).map((label) => (label as string[])[2]),
      ['addressed', 'addressed'],
    );
  });

  it('can be sent again, unchanged if they are open or with a changed text', async () => {
    texts.set(NEW, 'one\nTWO');
    await show(first, NEW);
    const { review, threads, shown, counts } = first;
    await Promise.all(threads.map((thread) => review.resend(thread)));
    deepStrictEqual(
      (await review.get('j')).map(({ id }) => id),
      ['c1'],
    );
    await review.change(shown()[1] as DraftComment, 'Say more');
    const unsent = await review.get('j');
    deepStrictEqual(
      unsent.map(({ text, outdated, sent }) => [text, outdated, sent]),
      [
        ['About one', false, undefined],
        ['Say more', true, undefined],
      ],
    );
    strictEqual(counts.get('j'), 2);
    // The follow-up that was sent before contains the first one too.
    await review.load();
    strictEqual(counts.get('j'), 2);
  });

  describe('in a follow-up that was discarded', () => {
    let sent: TrackedJob;

    beforeEach(async () => {
      sent = job(renderReviewComments((await first.files.all()).comments));
    });

    const withStates = ({ prompts: [prompt], ...rest }: TrackedJob, ...states: string[]): TrackedJob =>
      ({ ...rest, prompts: states.map((state, index) => ({ ...prompt, id: `s${index}`, state })) }) as TrackedJob;
    const states = async (): Promise<unknown[]> =>
      (await first.files.all()).comments.map((comment) => comment.sent?.state);

    it('are unsent again', async () => {
      first.change(withStates(sent, 'discarded'));
      deepStrictEqual(
        (await first.review.get('j')).map(({ id }) => id),
        ['c1', 'c2'],
      );
      strictEqual(first.counts.get('j'), 2);
      deepStrictEqual(await states(), [undefined, undefined]);
    });

    it('are unsent again when the window closed before it noticed the discard', async () => {
      const other = await openReviewWindow(root);
      other.change(withStates(sent, 'discarded'));
      await other.review.load();
      deepStrictEqual(await states(), [undefined, undefined]);
    });

    it('stay sent when another follow-up that contains them replaced it', async () => {
      first.change(withStates(sent, 'discarded', 'queued'));
      await first.review.load();
      deepStrictEqual(await states(), ['sent', 'sent']);
    });

    it('keep the state in which the last run left them', async () => {
      texts.set(NEW, 'one\nTWO');
      await show(first, NEW);
      first.change(withStates(sent, 'discarded'));
      await first.review.load();
      deepStrictEqual(await states(), ['open', 'addressed']);
    });
  });

  it('can be deleted and restored', async () => {
    const [comment] = await first.files.all().then(({ comments }) => comments);
    await first.review.remove('c1');
    deepStrictEqual(
      (await first.files.all()).comments.map(({ id }) => id),
      ['c2'],
    );
    await first.review.restore(comment!);
    deepStrictEqual((await first.files.all()).comments, [comment, (await first.files.all()).comments[1]]);
    strictEqual(first.counts.get('j'), 0);
  });

  it('keep a text that was typed while another window noticed that they were sent', async () => {
    const other = await openReviewWindow(root);
    const { comments } = await other.files.all();
    await first.review.change(first.shown()[0] as DraftComment, 'Mine');
    await other.files.write(comments[0]!);
    await other.review.load();
    deepStrictEqual(
      (await other.review.get('j')).map(({ text }) => text),
      ['Mine'],
    );
  });
});
