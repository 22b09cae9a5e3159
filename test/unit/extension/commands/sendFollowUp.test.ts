import { deepStrictEqual, match } from 'node:assert/strict';
import { PromptBox } from '../../../../src/extension/features/prompt/box/promptBox';
import { sendFollowUp } from '../../../../src/extension/features/prompt/box/promptCommands';
import { commands, editor, window } from '../../../support/fakeEditor';
import { jobPicker } from '../../../support/jobPicker';
import { snapshot, trackedJob } from '../../../support/trackedJob';

interface Button {
  tooltip: string;
}

const job = trackedJob({ snapshot: snapshot('completed'), endedAt: 1 });

/** Opens the box for a job with that many unsent comments. */
function open(comments: number) {
  const done: unknown[] = [];
  const none = () => ({ dispose: () => undefined });
  const press = new editor.EventEmitter<Button>();
  const hide = new editor.EventEmitter<void>();
  const box = {
    value: '',
    prompt: '',
    buttons: [] as Button[],
    onDidTriggerButton: press.event,
    onDidHide: hide.event,
    onDidChangeValue: none,
    onDidAccept: none,
    show: () => undefined,
    hide: () => hide.fire(),
    dispose: () => undefined,
  };
  Object.assign(window, { createInputBox: () => box });
  Object.assign(commands, { executeCommand: async (...given: unknown[]) => void done.push(given) });
  const drafts = {
    open: async () => 'Shorten it',
    type: (_: string, text: string) => done.push(['draft', text]),
    flush: async () => undefined,
    drop: async () => undefined,
    onDidChange: none,
  };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const options = {
    picker: jobPicker({ jobs: [job], get: () => job }),
    prompts: new PromptBox(drafts as never, {} as never, log),
    composer: { openForJob: async (_: unknown, text: string) => void done.push(['editor', text]) },
    counts: { get: () => comments },
  };
  const sent = sendFollowUp(options as never, { jobKey: 'k' });
  return { box, press, done, sent };
}

describe('Send Follow-up with unsent review comments', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('says that they are not included', async () => {
    const { box } = open(2);
    await settled();
    match(box.prompt, /^2 unsent review comments aren’t included\.$/);
    const other = open(0);
    await settled();
    deepStrictEqual([other.box.prompt, other.box.buttons.length], [undefined, 2]);
  });

  it('adds them to the typed text in the editor', async () => {
    const { box, press, done, sent } = open(1);
    await settled();
    match(box.prompt, /^1 unsent review comment isn’t included\.$/);
    press.fire(box.buttons.find(({ tooltip }) => tooltip.startsWith('Include'))!);
    await sent;
    const steps = done.filter((step) => (step as unknown[])[1] !== '');
    deepStrictEqual(steps.slice(0, 2), [
      ['editor', 'Shorten it'],
      ['docsAgent.sendReviewComments', { jobKey: 'k' }],
    ]);
  });
});
