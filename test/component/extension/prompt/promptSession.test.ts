import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/disposable';
import { Drafts } from '../../../../src/extension/sending/drafts';
import { runSession, SendCancelled, type SessionEnd } from '../../../../src/extension/sending/promptSession';
import { ManualClock } from '../../../support/manualClock';
import { HeardLog } from '../../jobs/store/recordsOnDisk';
import { MemoryDrafts } from './memoryDrafts';

/** A box whose keys the test presses. */
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

/** What a prompt is kept by; settled by the test. */
class Keeping {
  resolve: (job: string) => void = rethrow;
  reject: (error: Error) => void = rethrow;
  readonly promise = new Promise<string>((resolve, reject) => Object.assign(this, { resolve, reject }));
}

const FULL = Object.assign(new Error('no space left'), { code: 'ENOSPC' });

describe('a session of the prompt box', () => {
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

  it('stays open and busy until the text is kept, and only then lets the draft go', async () => {
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

  it('sends once for two Enters', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.enter();
    keeping.resolve('job');
    await end;
    assert.deepEqual(sent, ['text']);
  });

  it('stays with its text when the user does not want to send it yet', async () => {
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

  it('keeps the text as a draft when it was closed while the user was asked', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.hide();
    keeping.reject(new SendCancelled('stay'));
    assert.deepEqual(await end, { heldBack: 'text', look: false });
    assert.deepEqual(files.texts, ['text']);
  });

  it('stays with its text and tells why when it can’t be kept; Enter tries again', async () => {
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
    it(`ends with its draft when the text is held back, ${look ? 'to be looked at' : 'for now'}`, async () => {
      const end = run({ rest: ['second'] });
      box.type('text');
      box.enter();
      // A question takes the place of the box.
      box.hide();
      keeping.reject(new SendCancelled(look ? 'edit' : 'close'));
      assert.deepEqual(await end, { heldBack: 'text\nsecond', look });
      assert.deepEqual(files.texts, ['text\nsecond']);
    });
  }

  it('goes on sending when it is closed meanwhile', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.hide();
    keeping.resolve('job');
    assert.deepEqual(await end, { kept: 'job' });
    await clock.advance(1000);
    assert.deepEqual(files.texts, []);
  });

  it('leaves the draft when it is closed meanwhile and the text can’t be kept', async () => {
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
    it(`ends with a text that the disk did not take, ${isAsked ? 'held back' : 'closed'}, as one that can be opened again`, async () => {
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

  it('leaves the draft when it is closed', async () => {
    const end = run();
    box.type('text');
    box.hide();
    assert.deepEqual(await end, { closed: true });
    assert.equal(await drafts.open('t'), 'text');
    assert.deepEqual(sent, []);
  });

  it('takes a key after Enter back: what is sent is what stands there', async () => {
    const end = run();
    box.type('text');
    box.enter();
    box.type('text and more');
    assert.equal(box.value, 'text');
    keeping.resolve('job');
    await end;
    assert.deepEqual(sent, ['text']);
  });

  it('refuses an empty text, unless that is an answer', async () => {
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

  it('sends the other lines along, and keeps no draft of the text that it began with', async () => {
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

  it('takes what was typed for the same elsewhere, all lines of it', async () => {
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

  it('leaves what was typed elsewhere while the text was on its way', async () => {
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

  it('goes on with what was typed elsewhere when its own text was not kept', async () => {
    void run();
    box.type('text');
    box.enter();
    drafts.type('t', 'text and more');
    keeping.reject(FULL);
    await clock.advance(1000);
    assert.deepEqual([box.value, files.texts], ['text and more', ['text and more']]);
  });

  it('lets the draft go when it was only opened elsewhere while the text was on its way', async () => {
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
