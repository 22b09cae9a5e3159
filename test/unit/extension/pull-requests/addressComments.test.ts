import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import '../../../support/fakeEditor';
import { editor } from '../../../support/fakeEditor';
import { jobPicker } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const LINK = 'https://github.com/acme/docs/pull/7';
const threads = (...texts: string[]): object => ({
  reviewThreads: {
    nodes: texts.map((body) => ({
      isResolved: body === 'resolved',
      isOutdated: false,
      path: 'docs/limits.md',
      line: 3,
      originalLine: 3,
      comments: { nodes: [{ author: { login: 'robin' }, body }] },
    })),
  },
});

/** The same instances of all modules as the command loads when it runs. */
const load = (): Promise<typeof import('../../../../src/extension/features/pull-requests/addressComments')> =>
  import('../../../../src/extension/features/pull-requests/addressComments');

describe('Address Review Comments', () => {
  let opened: unknown[];
  let shown: string[];
  let answer: { status: number; headers: object; body: string };

  beforeEach(() => {
    [opened, shown] = [[], []];
    const show = async (text: string): Promise<undefined> => void shown.push(text);
    const say = { showWarningMessage: show, showErrorMessage: show, showInformationMessage: show };
    const withProgress = (_: unknown, work: () => Promise<unknown>): Promise<unknown> => work();
    Object.assign(editor.window, say, { withProgress });
  });

  async function address(pull: object | undefined, prLink = LINK, signedIn = true): Promise<void> {
    answer = { status: 200, headers: {}, body: JSON.stringify({ data: { repository: { pullRequest: pull } } }) };
    const job = trackedJob({ snapshot: snapshot('completed', { prLink }), endedAt: 1 });
    const store = { jobs: [job], get: () => job };
    const options = {
      picker: jobPicker(store),
      composer: { openForJob: async (_: unknown, text: string) => void opened.push(text) },
      tokens: { session: async () => (signedIn ? { host: 'github.com', token: 't' } : undefined) },
      clients: { load: async () => ({ transport: { send: async () => answer } }) },
    };
    await (await load()).addressReviewComments(options as never, 'k');
  }

  it('puts the unresolved comments into a follow-up prompt and sends nothing', async () => {
    await address(threads('Say since when.', 'resolved'));
    deepStrictEqual(opened, [
      'Address this review comment on https://github.com/acme/docs/pull/7.\n\nIn `docs/limits.md`, line 3:\n\n> robin: Say since when.',
    ]);
  });

  it('says so when no comment is open', async () => {
    await address(threads('resolved'));
    deepStrictEqual([opened, shown], [[], ['The pull request has no open review comments.']]);
  });

  it('says so when GitHub sends an unexpected response, and does nothing without a session', async () => {
    await address(undefined);
    deepStrictEqual([opened.length, shown.length], [0, 1]);
    ok(shown[0]?.startsWith('The review comments couldn’t be read.'));
    await address(threads('a'), LINK, false);
    deepStrictEqual([opened.length, shown.length], [0, 1]);
  });

  it('is not possible for another Git host', async () => {
    await address(threads('a'), 'https://gitlab.example/acme/docs/-/merge_requests/7');
    deepStrictEqual([opened, shown], [[], ['This command isn’t available for this job. Select another job.']]);
  });

  it('leaves out the last comments if the prompt would be too long for the service', async () => {
    const { fittingPrompt } = await load();
    const one = { path: 'docs/a.md', line: 1, isOutdated: false, comments: [{ author: 'x', text: '€'.repeat(3_900) }] };
    const prompt = fittingPrompt(
      trackedJob(),
      LINK,
      Array.from({ length: 100 }, () => one),
    );
    const count = Number(/these (\d+) review/.exec(prompt)?.[1]);
    ok(count > 50 && count < 100, String(count));
    strictEqual(
      fittingPrompt({ location: { service: 'https://x', projectId: 'p' } }, LINK, [one, one]).match(/docs\/a/g)?.length,
      2,
    );
  });
});
