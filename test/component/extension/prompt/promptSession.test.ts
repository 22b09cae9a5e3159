import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/disposable';
import { Drafts } from '../../../../src/extension/sending/drafts';
import { runSession, SendCancelled, type SessionEnd } from '../../../../src/extension/sending/promptSession';
import { ManualClock } from '../../../support/manualClock';
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

  enter(): void {
    this.accepted.fire();
  }
}

function rethrow(error: unknown): never {
  throw error;
}

/** A pending save of the prompt that the test resolves or rejects. */
class Keeping {
  resolve: (job: string) => void = rethrow;
  reject: (error: Error) => void = rethrow;
  readonly promise = new Promise<string>((resolve, reject) => Object.assign(this, { resolve, reject }));
}

const FULL = Object.assign(new Error('no space left'), { code: 'ENOSPC' });

describe('prompt box session', () => {
  let files: MemoryDrafts;
  let clock: ManualClock;
  let drafts: Drafts;
  let box: FakeBox;
  let sent: string[];
  let keeping: Keeping;

  function run(more: { rest?: string[]; initial?: string; allowEmpty?: boolean } = {}): Promise<SessionEnd<string>> {
    const { rest = [], initial = '', allowEmpty = false } = more;
    const keep = (text: string): Promise<string> => {
      sent.push(text);
      return keeping.promise;
    };
    const words = { empty: 'empty', notKept: (error: unknown) => `not kept: ${(error as Error).message}` };
    return runSession({ box: box, drafts, target: 't', initial, rest, allowEmpty, keep, words });
  }

  beforeEach(() => {
    files = new MemoryDrafts();
    clock = new ManualClock();
    drafts = new Drafts({ files, clock, log: new HeardLog(), tell: () => undefined });
    box = new FakeBox();
    sent = [];
    keeping = new Keeping();
  });

  it('stays open and busy until the prompt is saved and only then deletes the draft', async () => {
    const end = run();
    box.type('text');
    await clock.advance(1000);
    box.enter();
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.busy, files.texts], [true, true, ['text']]);
    keeping.resolve('job');
    assert.deepEqual(await end, { kept: 'job' });
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.disposed, files.texts, sent], [false, true, [], ['text']]);
  });

  it('sends once when Enter is pressed twice', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.enter();
    keeping.resolve('job');
    await end;
    assert.deepEqual(sent, ['text']);
  });

  it('stays open with its text when the user decides not to send yet', async () => {
    const end = run();
    box.type('text');
    box.enter();
    keeping.reject(new SendCancelled('stay'));
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.busy, box.value, files.texts], [true, false, 'text', ['text']]);
    keeping = new Keeping();
    box.enter();
    keeping.resolve('job');
    assert.deepEqual(await end, { kept: 'job' });
  });

  it('keeps the text as a draft when the box closes during the question', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.hide();
    keeping.reject(new SendCancelled('stay'));
    assert.deepEqual(await end, { heldBack: 'text', look: false });
    assert.deepEqual(files.texts, ['text']);
  });

  it('keeps its text and shows the error when saving fails, and Enter retries', async () => {
    const end = run();
    box.type('text');
    box.enter();
    keeping.reject(FULL);
    await clock.advance(1000);
    assert.deepEqual([box.shown, box.busy, box.value], [true, false, 'text']);
    assert.equal(box.validationMessage, 'not kept: no space left');
    assert.deepEqual(files.texts, ['text']);
    keeping = new Keeping();
    keeping.resolve('job');
    box.enter();
    assert.deepEqual(await end, { kept: 'job' });
    assert.deepEqual(sent, ['text', 'text']);
  });

  for (const look of [true, false]) {
    it(`ends with a draft when the text is held back ${look ? 'for review' : 'for now'}`, async () => {
      const end = run({ rest: ['second'] });
      box.type('text');
      box.enter();
      // Showing a question hides the box.
      box.hide();
      keeping.reject(new SendCancelled(look ? 'edit' : 'close'));
      assert.deepEqual(await end, { heldBack: 'text\nsecond', look });
      assert.deepEqual(files.texts, ['text\nsecond']);
    });
  }

  it('finishes sending when the box is closed in the meantime', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.hide();
    keeping.resolve('job');
    assert.deepEqual(await end, { kept: 'job' });
    await clock.advance(1000);
    assert.deepEqual(files.texts, []);
  });

  it('keeps the draft when the box is closed in the meantime and saving fails', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.hide();
    keeping.reject(FULL);
    assert.deepEqual(await end, { lost: FULL });
    assert.deepEqual(files.texts, ['text']);
    assert.equal(await drafts.open('t'), 'text');
  });

  for (const isAsked of [false, true]) {
    it(`can reopen a text that was ${isAsked ? 'held back' : 'closed'} while the disk was full`, async () => {
      files.failure = FULL;
      const end = run();
      box.type('text');
      if (isAsked) {
        box.enter();
        box.hide();
        keeping.reject(new SendCancelled('close'));
      } else {
        box.hide();
      }
      assert.deepEqual(await end, { lost: FULL });
      assert.equal(await drafts.open('t'), 'text');
    });
  }

  it('keeps the draft when the box is closed', async () => {
    const end = run();
    box.type('text');
    box.hide();
    assert.deepEqual(await end, { closed: true });
    assert.equal(await drafts.open('t'), 'text');
    assert.deepEqual(sent, []);
  });

  it('reverts typing after Enter so that the box shows what is sent', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.type('text and more');
    assert.equal(box.value, 'text');
    keeping.resolve('job');
    await end;
    assert.deepEqual(sent, ['text']);
  });

  it('refuses an empty text unless empty answers are allowed', async () => {
    void run();
    box.type(' ');
    box.enter();
    assert.equal(box.validationMessage, 'empty');
    assert.deepEqual(sent, []);
    box = new FakeBox();
    keeping.resolve('job');
    const end = run({ allowEmpty: true });
    box.enter();
    assert.deepEqual(await end, { kept: 'job' });
    assert.deepEqual(sent, ['']);
  });

  it('sends the remaining lines too and keeps no draft of the initial text', async () => {
    box.value = 'one';
    const end = run({ rest: ['two'], initial: 'one\ntwo' });
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
    const end = run();
    box.type('one');
    drafts.type('t', 'one, two\nthree');
    assert.equal(box.value, 'one, two');
    box.enter();
    assert.deepEqual(sent, ['one, two\nthree']);
    keeping.resolve('job');
    await end;
    drafts.type('t', 'next');
    assert.equal(box.value, 'one, two');
  });

  it('keeps a draft typed in another place while the text was being sent', async () => {
    const end = run();
    box.type('text');
    box.enter();
    drafts.type('t', 'text and more');
    assert.equal(box.value, 'text');
    keeping.resolve('job');
    assert.deepEqual(await end, { kept: 'job' });
    await clock.advance(1000);
    assert.deepEqual(files.texts, ['text and more']);
  });

  it('continues with text typed in another place when saving its own text fails', async () => {
    void run();
    box.type('text');
    box.enter();
    drafts.type('t', 'text and more');
    keeping.reject(FULL);
    await clock.advance(1000);
    assert.deepEqual([box.value, files.texts], ['text and more', ['text and more']]);
  });

  it('deletes the draft when it was only opened in another place during sending', async () => {
    drafts.type('t', 'text');
    box.value = (await drafts.open('t')) ?? '';
    const end = run();
    box.enter();
    await drafts.open('t');
    keeping.resolve('job');
    await end;
    await clock.advance(1000);
    assert.deepEqual(files.texts, []);
  });
});
