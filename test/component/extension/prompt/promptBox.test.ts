import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/disposable';
import { Drafts } from '../../../../src/extension/sending/drafts';
import { PromptBox } from '../../../../src/extension/features/prompt/box/promptBox';
import type { Decision } from '../../../../src/extension/sending/sendPrompt';
import type { Sending } from '../../../../src/extension/sending/sender';
import { window } from '../../../support/fakeEditor';
import { ManualClock } from '../../../support/manualClock';
import { location } from '../../../support/testWindow';
import { HeardLog } from '../../jobs/store/recordsOnDisk';
import { MemoryDrafts } from './memoryDrafts';

/** An input box that the test types into. */
class FakeBox {
  value = '';
  busy = false;
  validationMessage: string | undefined;
  shown = false;
  disposed = false;
  private readonly changed = new Emitter<string>(rethrow);
  private readonly accepted = new Emitter<void>(rethrow);
  private readonly hidden = new Emitter<void>(rethrow);
  readonly onDidChangeValue = this.changed.event;
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;
  private readonly pressed = new Emitter<{ tooltip: string }>(rethrow);
  readonly onDidTriggerButton = this.pressed.event;
  buttons: { tooltip: string }[] = [];

  show(): void {
    this.shown = true;
  }

  hide(): void {
    if (this.shown) {
      this.shown = false;
      this.hidden.fire();
    }
  }

  dispose(): void {
    this.disposed = true;
  }

  type(text: string): void {
    this.value = text;
    this.changed.fire(text);
  }

  press(button: string): void {
    this.buttons.filter(({ tooltip }) => tooltip === button).forEach((each) => this.pressed.fire(each));
  }

  enter(): void {
    this.accepted.fire();
  }
}

function rethrow(error: unknown): never {
  throw error;
}

/** A pending save of the prompt that the test resolves or rejects; undefined if the user decides against sending. */
class Keeping {
  resolve: (job: string | undefined) => void = rethrow;
  reject: (error: Error) => void = rethrow;
  readonly promise = new Promise<string | undefined>((resolve, reject) => Object.assign(this, { resolve, reject }));
}

const FULL = Object.assign(new Error('no space left'), { code: 'ENOSPC' });

describe('prompt box session', () => {
  let files: MemoryDrafts;
  let clock: ManualClock;
  let drafts: Drafts;
  let box: FakeBox;
  let sent: string[];
  let keeping: Keeping;
  let end: Promise<unknown>;
  let decide: (prompt: string) => Promise<Decision | undefined>;
  let composed: string[];
  let compose: (text: string) => Promise<void>;
  let offered: string[];

  /** Opens the box. */
  async function run(value = '', allowEmpty = false): Promise<void> {
    const guard = { ask: (prompt: string) => decide(prompt) };
    const prompts = new PromptBox({ drafts, guard: guard as never, log: new HeardLog() });
    const target = { title: '', placeholder: '', location, draft: 't', compose };
    const save = async (text: string): Promise<Sending | undefined> => {
      sent.push(text);
      const job = await keeping.promise;
      return job === undefined ? undefined : ({ finished: Promise.resolve(job) } as never);
    };
    const toPrompt = async (): Promise<string> => 'made of nothing';
    end = prompts.ask({ ...target, value, allowEmpty, save, ...(allowEmpty && { toPrompt }) });
    await clock.advance(0);
  }

  async function enterText(): Promise<void> {
    await run();
    box.type('text');
    box.enter();
  }

  beforeEach(() => {
    files = new MemoryDrafts();
    clock = new ManualClock();
    drafts = new Drafts({ files, clock, log: new HeardLog(), tell: () => undefined });
    box = new FakeBox();
    sent = [];
    keeping = new Keeping();
    decide = async (send) => ({ send });
    compose = async (text) => void composed.push(text);
    [composed, offered] = [[], []];
    Object.assign(window, {
      createInputBox: () => box,
      showErrorMessage: async (text: string) => void offered.push(text),
    });
  });

  it('stays open and busy until the prompt is saved and only then deletes the draft', async () => {
    await run();
    box.type('text');
    await clock.advance(1000);
    box.enter();
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.busy, files.texts], [true, true, ['text']]);
    keeping.resolve('job');
    assert.equal(await end, 'job');
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.disposed, files.texts, sent], [false, true, [], ['text']]);
  });

  it('sends once when Enter is pressed twice', async () => {
    await enterText();
    box.enter();
    keeping.resolve('job');
    await end;
    assert.deepEqual(sent, ['text']);
  });

  it('stays open with its text when the user decides not to send yet', async () => {
    await enterText();
    keeping.resolve(undefined);
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.busy, box.value, files.texts], [true, false, 'text', ['text']]);
    keeping = new Keeping();
    box.enter();
    keeping.resolve('job');
    assert.equal(await end, 'job');
  });

  it('keeps its text and shows the error when saving fails, and Enter retries', async () => {
    await enterText();
    keeping.reject(FULL);
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.busy, box.value], [true, false, 'text']);
    assert.match(box.validationMessage ?? '', /the disk is full/);
    assert.deepEqual(files.texts, ['text']);
    keeping = new Keeping();
    keeping.resolve('job');
    box.enter();
    assert.equal(await end, 'job');
    assert.deepEqual(sent, ['text', 'text']);
  });

  for (const review of [true, false]) {
    it(`${review ? 'opens the text in the editor' : 'ends with a draft'} when the user decides so`, async () => {
      decide = async () => {
        // Showing a question hides the box.
        box.hide();
        return review ? { review: [] } : undefined;
      };
      await run('\nsecond');
      box.type('text');
      box.enter();
      assert.equal(await end, undefined);
      await clock.advance(1000);
      assert.deepEqual([files.texts, composed], review ? [[], ['text\nsecond']] : [['text\nsecond'], []]);
    });
  }

  it('continues in the editor with its initial text', async () => {
    await run('one\ntwo');
    box.press('Continue in Editor');
    assert.equal(await end, undefined);
    assert.deepEqual([composed, box.shown, files.texts], [['one\ntwo'], false, []]);
  });

  it('stays open with its text when the editor can’t save it', async () => {
    compose = () => Promise.reject(FULL);
    await run();
    box.type('text');
    box.press('Continue in Editor');
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.value, files.texts], [true, 'text', ['text']]);
    assert.match(box.validationMessage ?? '', /Couldn’t open the prompt in the editor: the disk is full/);
  });

  it('finishes sending when the box is closed in the meantime', async () => {
    await enterText();
    box.hide();
    keeping.resolve('job');
    assert.equal(await end, 'job');
    await clock.advance(1000);
    assert.deepEqual(files.texts, []);
  });

  it('keeps the draft when the box is closed in the meantime and saving fails', async () => {
    await enterText();
    box.hide();
    keeping.reject(FULL);
    assert.deepEqual([await end, offered.length], [undefined, 1]);
    assert.deepEqual(files.texts, ['text']);
    assert.equal(await drafts.open('t'), 'text');
  });

  for (const isAsked of [false, true]) {
    it(`can reopen a text that was ${isAsked ? 'held back' : 'closed'} while the disk was full`, async () => {
      files.failure = FULL;
      await run();
      box.type('text');
      if (isAsked) {
        box.enter();
        box.hide();
        keeping.resolve(undefined);
      } else {
        box.hide();
      }
      assert.deepEqual([await end, offered.length], [undefined, 1]);
      assert.equal(await drafts.open('t'), 'text');
    });
  }

  it('keeps the draft when the box is closed', async () => {
    await run();
    box.type('text');
    box.hide();
    assert.deepEqual([await end, offered], [undefined, []]);
    assert.equal(await drafts.open('t'), 'text');
    assert.deepEqual(sent, []);
  });

  it('reverts typing after Enter so that the box shows what is sent', async () => {
    await enterText();
    box.type('text and more');
    assert.equal(box.value, 'text');
    keeping.resolve('job');
    await end;
    assert.deepEqual(sent, ['text']);
  });

  it('refuses a blank text, and keeps it, unless a prompt can be made of it', async () => {
    await run();
    box.type(' \u200b');
    box.enter();
    assert.deepEqual([box.validationMessage, box.value], ['Enter a prompt.', ' \u200b']);
    assert.deepEqual(sent, []);
    drafts.type('t', '');
    box = new FakeBox();
    keeping.resolve('job');
    await run('', true);
    box.enter();
    assert.equal(await end, 'job');
    assert.deepEqual(sent, ['made of nothing']);
  });

  it('sends the remaining lines too and keeps no draft of the initial text', async () => {
    await run('one\ntwo');
    box.type('one!');
    await clock.advance(1000);
    assert.deepEqual(files.texts, ['one!\ntwo']);
    box.type('one');
    await clock.advance(1000);
    assert.deepEqual(files.texts, []);
    keeping.resolve('job');
    box.enter();
    await end;
    assert.deepEqual(sent, ['one\ntwo']);
  });

  it('shows text typed for the same target in another place and sends all its lines', async () => {
    await run();
    box.type('one');
    drafts.type('t', 'one, two\nthree');
    assert.equal(box.value, 'one, two');
    box.enter();
    await clock.advance(0);
    assert.deepEqual(sent, ['one, two\nthree']);
    keeping.resolve('job');
    await end;
    drafts.type('t', 'next');
    assert.equal(box.value, 'one, two');
  });

  it('closes when its text is sent from another place', async () => {
    await run();
    box.type('text');
    await drafts.drop('t');
    assert.equal(await end, undefined);
    assert.deepEqual([box.shown, sent], [false, []]);
  });

  it('keeps a draft typed in another place while the text was being sent', async () => {
    await enterText();
    drafts.type('t', 'text and more');
    assert.equal(box.value, 'text');
    keeping.resolve('job');
    assert.equal(await end, 'job');
    await clock.advance(1000);
    assert.deepEqual(files.texts, ['text and more']);
  });

  it('continues with text typed in another place when saving its own text fails', async () => {
    await enterText();
    drafts.type('t', 'text and more');
    keeping.reject(FULL);
    await clock.advance(1000);
    assert.deepEqual([box.value, files.texts], ['text and more', ['text and more']]);
  });

  it('deletes the draft when it was only opened in another place during sending', async () => {
    drafts.type('t', 'text');
    box.value = (await drafts.open('t')) ?? '';
    await run();
    box.enter();
    await drafts.open('t');
    keeping.resolve('job');
    await end;
    await clock.advance(1000);
    assert.deepEqual(files.texts, []);
  });
});
