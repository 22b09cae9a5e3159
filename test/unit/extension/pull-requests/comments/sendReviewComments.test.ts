import { deepStrictEqual } from 'node:assert/strict';
import { sendReviewComments } from '../../../../../src/extension/features/pull-requests/commentCommands';
import { window } from '../../../../support/fakeEditor';
import { jobPicker } from '../../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../../support/trackedJob';

const job = trackedJob({ snapshot: snapshot('completed'), endedAt: 1 });

/**
 * Runs the command with comments, a draft, and an answer to the question; returns what it did.
 *
 * @param changed what another window makes of the comments during the first question
 */
async function run(
  draft: string,
  answer: string,
  { comments = 1, changed }: { comments?: number; changed?: (comment: { text: string }) => object[] } = {},
): Promise<unknown[]> {
  const done: unknown[] = [];
  Object.assign(window, { showInformationMessage: async (text: string) => void done.push(text) });
  const showQuickPick = async (items: { label: string }[], { title }: { title: string }) => {
    done.push(title);
    all = changed === undefined || done.length > 1 ? all : changed(comment);
    return items.find(({ label }) => label.endsWith(answer));
  };
  Object.assign(window, { showQuickPick, showInformationMessage: async (text: string) => void done.push(text) });
  const comment = {
    path: 'a.md',
    side: 'new',
    from: 1,
    to: 1,
    quoted: '',
    languageId: '',
    outdated: false,
    text: 'Why?',
  };
  let all: object[] = [comment].slice(0, comments);
  const review = {
    load: async () => undefined,
    edited: () => [],
    relocate: async () => undefined,
    get: async () => [...all],
    has: () => true,
    notIn: () => [...all],
    compose: async () => void done.push('composed'),
  };
  const composer = {
    textForJob: async () => draft,
    appendForJob: async (_: unknown, text: string) => void done.push(['draft', text]),
  };
  const options = {
    picker: jobPicker({ jobs: [job], get: () => job }),
    composer,
    review: async () => review,
    opened: { activeJob: undefined },
    sendFollowUpText: async (_: unknown, text: string) => void done.push(['sent', text]),
  };
  await sendReviewComments(options as never, { jobKey: 'k' });
  return done;
}

describe('Send Review Comments', () => {
  const question = 'Send 1 review comment to the agent?';
  const text = 'Address this review comment.\n\nIn `a.md`, line 1:\n\n> Why?';

  it('sends them at once, or opens them as a draft', async () => {
    deepStrictEqual(await run('', 'Send Now'), [question, 'composed', ['sent', text]]);
    deepStrictEqual(await run('', 'Edit First'), [question, 'composed', ['draft', text]]);
    deepStrictEqual(await run('', 'none of them'), [question]);
  });

  it('asks again if another window has changed them, and sends nothing that was sent in the meantime', async () => {
    const sent = await run('', 'Send Now', { changed: () => [] });
    deepStrictEqual([sent.length, sent[0]], [2, question]);
    const changed = await run('', 'Send Now', { changed: (comment) => [{ ...comment, text: 'How?' }] });
    deepStrictEqual(changed, [question, question, 'composed', ['sent', text.replace('Why', 'How')]]);
  });

  it('says how to add one when there is none', async () => {
    deepStrictEqual(await run('', '', { comments: 0 }), [
      'There are no unsent comments on these changes. Select + next to a line, or run “Add Comment”.',
    ]);
  });

  it('adds them to a draft without asking', async () => {
    deepStrictEqual(await run('Also shorten it.', ''), ['composed', ['draft', text]]);
  });
});
