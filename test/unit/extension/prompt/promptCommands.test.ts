import assert from 'node:assert/strict';
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { editor, window } from '../../../support/fakeEditor';
import {
  createJob,
  duplicateJob,
  retryJob,
  sendComposed,
  sendFollowUp,
} from '../../../../src/extension/features/prompt/box/promptCommands';
import { changeProject } from '../../../../src/extension/features/prompt/box/unsentPrompt';
import { PromptBox } from '../../../../src/extension/features/prompt/box/promptBox';
import { jobPicker } from '../../../support/jobDescriber';
import type { Decision } from '../../../../src/extension/sending/sendPrompt';
import type { FailureReason } from '../../../../src/jobs/events';
import type { OutgoingPrompt, TrackedJob } from '../../../../src/jobs/trackedJob';
import { snapshot, trackedJob } from '../../../support/trackedJob';

describe('createJob', () => {
  it('has a draft for each project of each service, so that no text is offered for another', async () => {
    const drafts: string[] = [];
    const create = (service: string, projectId: string) => {
      const prompts = { ask: ({ draft }: { draft: string }) => Promise.resolve(void drafts.push(draft)) };
      const projects = { choose: () => Promise.resolve({ service, projectId }) };
      return createJob({ projects, prompts } as never, undefined);
    };
    await create('local', 'private');
    await create('local', 'public');
    await create('https://docs.example', 'public');
    await create('local', 'private');
    assert.equal(drafts.length, 4);
    assert.equal(new Set(drafts).size, 3);
    assert.equal(drafts[0], drafts[3]);
  });

  it('asks for a prompt if a program passes a blank one, as a follow-up does', async () => {
    const shown: string[] = [];
    Object.assign(editor.window, { showWarningMessage: async (text: string) => void shown.push(text) });
    for (const prompt of [' \n', '\u00a0\u200b']) {
      strictEqual(await createJob({} as never, { prompt }), undefined);
      strictEqual(await sendFollowUp({} as never, { jobId: 'k', prompt }), undefined);
    }
    deepStrictEqual(shown, Array(4).fill('Enter a prompt.'));
  });
});

const send = (id: string, kind: OutgoingPrompt['kind'], prompt: string): OutgoingPrompt => ({
  id,
  kind,
  text: prompt,
  at: 0,
  state: 'created',
  attempt: 1,
});

const failed = trackedJob({
  location: { service: 'https://docs.example', projectId: 'p' },
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
    composer: { openForJob: compose('editor'), openForLocation: compose('editor') },
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
  const now = { service: 'https://docs.example', projectId: 'now' };

  /** What the box for a copy says; of several projects, the user picks the one with this place in the list. */
  async function duplicated(isOwn: boolean, picked?: number): Promise<unknown[]> {
    const { asked, options } = setUp({ ...failed, snapshot: snapshot('active') });
    Object.assign(editor.window, { showQuickPick: async (items: unknown[]) => items[picked ?? -1] });
    editor.workspace['getConfiguration'] = () => ({ get: () => undefined });
    const projects = { hostedService: () => ({ origin: now.service }), choose: async () => now };
    const windowProjects = { has: () => isOwn };
    await duplicateJob({ ...(options as object), projects, windowProjects } as never, 'k');
    return asked.map(({ title, value }) => [title, value]);
  }

  it('opens the box for a new job with the first prompt in full, for the same project', async () => {
    deepStrictEqual(await duplicated(true), [['New job for p (docs.example)', 'Explain']]);
  });

  it('offers the project for new jobs if the job belongs to another one', async () => {
    deepStrictEqual(await duplicated(false, 0), [['New job for now (docs.example)', 'Explain']]);
    deepStrictEqual(await duplicated(false, 1), [['New job for p (docs.example)', 'Explain']]);
    deepStrictEqual(await duplicated(false), []);
  });

  it('is not possible for a job whose prompt is unknown', async () => {
    const { asked, options } = setUp(trackedJob({ snapshot: snapshot('active') }));
    strictEqual(await duplicateJob(options, 'k'), undefined);
    deepStrictEqual(asked, []);
  });
});

describe('Send Prompt', () => {
  /** What is asked and selected, and whether it is sent, when the user gives this answer. */
  async function composed(text: string, answer?: string): Promise<unknown[]> {
    const done: unknown[] = [];
    const shown = { selection: { start: 0, end: 0 }, revealRange: () => done.push(Object.values(shown.selection)) };
    const fs = {
      readDirectory: async ({ path }: { path: string }) => (path === '/data/templates' ? [['Notes.md', 'File']] : []),
      stat: async () => ({ size: 1 }),
      readFile: async () => new TextEncoder().encode('Describe $ask{Which version?}.'),
    };
    Object.assign(editor.workspace, { isTrusted: false, fs });
    Object.assign(editor.window, {
      showWarningMessage: async (question: string) => (done.push(question), answer),
      showTextDocument: async () => shown,
    });
    const active = { getText: () => text, positionAt: (at: number) => at };
    const composer = { active, send: async () => void done.push('sent') };
    await sendComposed({ composer, data: '/data', extensionUri: { path: '/extension' }, log } as never, undefined);
    return done;
  }

  it('asks about a question of a template that was left in, and selects it unless it is to be sent', async () => {
    const question = 'The prompt has unanswered questions: Which version?';
    deepStrictEqual(await composed('First.\r\n\r\nDescribe Which version?.', 'Send Anyway'), [question, 'sent']);
    deepStrictEqual(await composed('Describe Which version?.'), [question, [9, 23]]);
    deepStrictEqual(await composed('Describe version 2.'), ['sent']);
  });
});

describe('Change Project', () => {
  /** What happens to a prompt that was rejected for this reason when the user chooses that place. */
  async function changed(kind: FailureReason['kind'], to?: { service: string; projectId: string }) {
    const prompt = { ...send('s', 'create', 'Explain'), state: 'rejected', reason: { kind } } as const;
    const rejected = trackedJob({ location: failed.location, prompts: [prompt] });
    const { asked, options } = setUp(rejected);
    const sent: unknown[] = [];
    const again = async (_job: TrackedJob, { text }: OutgoingPrompt, how: object) => {
      sent.push([text, how]);
      return { finished: Promise.resolve(rejected) };
    };
    const [projects, sender] = [{ change: async () => to }, { again }];
    Object.assign(editor.window, { showInformationMessage: async () => undefined });
    await changeProject({ ...(options as object), projects, sender } as never, { jobKey: 'k', promptId: 's' });
    return { sent, boxes: asked.map(({ title, value }) => [title, value]) };
  }

  it('sends the prompt to the chosen project of the same service', async () => {
    const to = { service: 'https://docs.example', projectId: 'right' };
    const expected = { sent: [['Explain', { to }]], boxes: [] };
    deepStrictEqual([await changed('notFound', to), await changed('forbidden', to)], [expected, expected]);
  });

  it('shows in the box where it goes before it is sent to another service', async () => {
    const to = { service: 'local', projectId: 'right' };
    const boxes = [['New job for right (local service)', 'Explain']];
    deepStrictEqual(await changed('notFound', to), { sent: [], boxes });
  });

  it('does nothing without a choice, or for a prompt that was rejected for another reason', async () => {
    const to = { service: 'https://docs.example', projectId: 'right' };
    const nothing = { sent: [], boxes: [] };
    deepStrictEqual([await changed('notFound'), await changed('rejected', to)], [nothing, nothing]);
  });
});

interface Button {
  tooltip: string;
}

const job = trackedJob({ snapshot: snapshot('completed'), endedAt: 1 });

/** Opens the box for a job with this many unsent comments. */
function open(comments: number, taken = 'Address this review comment.') {
  const done: unknown[] = [];
  const none = () => ({ dispose: () => undefined });
  const press = new editor.EventEmitter<Button>();
  const accept = new editor.EventEmitter<void>();
  const hide = new editor.EventEmitter<void>();
  const box = {
    value: '',
    prompt: '',
    validationMessage: undefined as string | undefined,
    buttons: [] as Button[],
    onDidTriggerButton: press.event,
    onDidHide: hide.event,
    onDidChangeValue: none,
    onDidAccept: accept.event,
    show: () => undefined,
    hide: () => hide.fire(),
    dispose: () => undefined,
  };
  Object.assign(window, { createInputBox: () => box });
  const drafts = {
    open: async () => 'Shorten it',
    type: () => undefined,
    flush: async () => undefined,
    drop: async () => undefined,
    onDidChange: none,
  };
  const guard = { ask: async (prompt: string) => ({ send: prompt }) };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const options = {
    picker: jobPicker({ jobs: [job], get: () => job }),
    store: { get: () => job },
    sender: {
      followUp: async (_: unknown, prompt: string) => {
        done.push(['sent', prompt]);
        return { finished: Promise.resolve(job) };
      },
    },
    takeComments: async () => taken,
    prompts: new PromptBox({ drafts, guard, log } as never),
    composer: { openForJob: async (_: unknown, text: string) => void done.push(['editor', text]) },
    counts: { get: () => comments },
  };
  const sent = sendFollowUp(options as never, { jobKey: 'k' });
  return { box, press, accept, done, sent };
}

describe('Send Follow-up with unsent review comments', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('says that they are included', async () => {
    const { box } = open(2);
    await settled();
    deepStrictEqual(box.prompt, 'Your 2 review comments are included.');
    const other = open(0);
    await settled();
    deepStrictEqual([other.box.prompt, other.box.buttons.length], [undefined, 2]);
  });

  for (const [what, typed, taken, sent] of [
    ['below the typed text', 'Shorten it', undefined, 'Shorten it\n\nAddress this review comment.'],
    ['alone from an empty box', '', undefined, 'Address this review comment.'],
    ['not from an empty box if they can’t be included anymore', ' \u200b', '', undefined],
  ] as const) {
    it(`sends them ${what}`, async () => {
      const { box, accept, done } = open(1, taken);
      await settled();
      deepStrictEqual(box.prompt, 'Your review comment is included.');
      box.value = typed;
      accept.fire();
      await settled();
      deepStrictEqual(done, sent === undefined ? [] : [['sent', sent]]);
      strictEqual(box.validationMessage, sent === undefined ? 'Enter a prompt.' : undefined);
      strictEqual(box.value, typed);
    });
  }

  it('adds them to the typed text in the editor', async () => {
    const { box, press, done, sent } = open(1);
    await settled();
    press.fire(box.buttons.find(({ tooltip }) => tooltip === 'Continue in Editor')!);
    await sent;
    deepStrictEqual(done[0], ['editor', 'Shorten it\n\nAddress this review comment.']);
  });
});
