import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import '../../../support/fakeEditor';
import { editor } from '../../../support/fakeEditor';
import { duplicateJob, retryJob } from '../../../../src/extension/features/prompt/box/promptCommands';
import { PromptBox } from '../../../../src/extension/features/prompt/box/promptBox';
import { jobPicker } from '../../../support/jobDescriber';
import type { Decision } from '../../../../src/extension/sending/sendGuard';
import type { OutgoingPrompt, TrackedJob } from '../../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const send = (id: string, kind: OutgoingPrompt['kind'], prompt: string): OutgoingPrompt => ({
  id,
  kind,
  text: prompt,
  at: 0,
  state: 'created',
  attempt: 1,
});

const failed = trackedJob({
  home: { service: 'https://docs.example', projectId: 'p' },
  snapshot: snapshot('failed'),
  endedAt: 1,
  prompts: [send('a', 'create', 'Explain'), send('b', 'followUp', 'Shorten')],
});

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What the user would see happen. */
function setUp(job: TrackedJob, decide: (prompt: string) => Decision | undefined = (prompt) => ({ send: prompt })) {
  const done: unknown[] = [];
  const store = {
    jobs: [job],
    get: () => job,
  };
  const sending = (what: string) => async (target: { key?: string; projectId?: string }, prompt: string) => {
    done.push([what, target.key ?? target.projectId, prompt]);
    return { job, finished: Promise.resolve(job) };
  };
  const compose = (what: string) => async (_: unknown, text: string) => void done.push([what, text]);
  const asked: { title: string; value?: string }[] = [];
  const guard = { ask: async (prompt: string) => decide(prompt) };
  const prompts = new PromptBox({ drafts: {} as never, guard: guard as never, log });
  prompts.ask = async (options) => void asked.push(options);
  const options = {
    store,
    picker: jobPicker(store),
    prompts,
    sender: { create: sending('new job'), followUp: sending('follow-up') },
    composer: { openForJob: compose('editor'), openForHome: compose('editor') },
  };
  return { done, asked, options: options as never };
}

describe('Try Again', () => {
  const shown: string[] = [];
  beforeEach(() => {
    shown.length = 0;
    const show = async (text: string): Promise<undefined> => void shown.push(text);
    Object.assign(editor.window, { showWarningMessage: show, showErrorMessage: show });
  });

  it('sends the last prompt in full, as a follow-up, and returns the job', async () => {
    const { done, options } = setUp(failed);
    strictEqual(await retryJob(options, { jobKey: 'k' }), failed);
    deepStrictEqual(done, [['follow-up', 'k', 'Shorten']]);
  });

  it('sends it once, however often the button is clicked', async () => {
    const { done, options } = setUp(failed);
    deepStrictEqual(await Promise.all([retryJob(options, 'k'), retryJob(options, 'k')]), [failed, undefined]);
    strictEqual(done.length, 1);
    strictEqual(await retryJob(options, 'k'), failed);
  });

  it('asks about secrets like every send, and opens the prompt to review them', async () => {
    const { done, options } = setUp(failed, () => ({ review: [] }));
    strictEqual(await retryJob(options, 'k'), undefined);
    deepStrictEqual(done, [['editor', 'Shorten']]);
    const cancelled = setUp(failed, () => undefined);
    strictEqual(await retryJob(cancelled.options, 'k'), undefined);
    deepStrictEqual(cancelled.done, []);
  });

  it('is not possible for a job that did not fail', async () => {
    const { done, options } = setUp({ ...failed, snapshot: snapshot('completed') });
    strictEqual(await retryJob(options, 'k'), undefined);
    deepStrictEqual([done, shown], [[], ['This command isn’t available for this job. Select another job.']]);
  });

  it('opens the prompt in the editor when it can’t be saved', async () => {
    const { done, options } = setUp(failed);
    const sender = { followUp: async () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) };
    strictEqual(await retryJob({ ...(options as object), sender } as never, 'k'), undefined);
    deepStrictEqual(done, [['editor', 'Shorten']]);
    deepStrictEqual(shown.length, 1);
  });
});

describe('Duplicate', () => {
  it('opens the box for a new job with the first prompt in full, for the same project', async () => {
    const { asked, options } = setUp({ ...failed, snapshot: snapshot('active') });
    await duplicateJob(options, 'k');
    deepStrictEqual(
      asked.map(({ title, value }) => [title, value]),
      [['New job for p (docs.example)', 'Explain']],
    );
  });

  it('is not possible for a job whose prompt is unknown', async () => {
    const { asked, options } = setUp(trackedJob({ snapshot: snapshot('active') }));
    strictEqual(await duplicateJob(options, 'k'), undefined);
    deepStrictEqual(asked, []);
  });
});
