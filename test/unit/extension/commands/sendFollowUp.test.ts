import { deepStrictEqual } from 'node:assert/strict';
import { PromptBox } from '../../../../src/extension/features/prompt/box/promptBox';
import { sendFollowUp } from '../../../../src/extension/features/prompt/box/promptCommands';
import { editor, window } from '../../../support/fakeEditor';
import { jobPicker } from '../../../support/jobDescriber';
import { snapshot, trackedJob } from '../../../support/trackedJob';

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

  it('sends them below the typed text', async () => {
    const { box, accept, done } = open(1);
    await settled();
    deepStrictEqual(box.prompt, 'Your review comment is included.');
    accept.fire();
    await settled();
    deepStrictEqual(done.at(0), ['sent', 'Shorten it\n\nAddress this review comment.']);
  });

  it('sends them alone from an empty box', async () => {
    const { box, accept, done } = open(1);
    await settled();
    box.value = '';
    accept.fire();
    await settled();
    deepStrictEqual(done.at(0), ['sent', 'Address this review comment.']);
  });

  it('sends nothing from an empty box if they can’t be included anymore', async () => {
    const { box, accept, done } = open(1, '');
    await settled();
    box.value = '';
    accept.fire();
    await settled();
    deepStrictEqual(done, []);
  });

  it('adds them to the typed text in the editor', async () => {
    const { box, press, done, sent } = open(1);
    await settled();
    press.fire(box.buttons.find(({ tooltip }) => tooltip === 'Continue in Editor')!);
    await sent;
    deepStrictEqual(done[0], ['editor', 'Shorten it\n\nAddress this review comment.']);
  });
});
