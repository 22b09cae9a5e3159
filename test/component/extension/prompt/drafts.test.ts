import assert from 'node:assert/strict';
import { Drafts, RETRY_AFTER_MS, SAVE_AFTER_MS } from '../../../../src/extension/sending/drafts';
import { ManualClock } from '../../../support/manualClock';
import { HeardLog } from '../../jobs/store/recordsOnDisk';
import { MemoryDrafts } from './memoryDrafts';

const FULL = Object.assign(new Error('full'), { code: 'ENOSPC' });

describe('Drafts', () => {
  let files: MemoryDrafts;
  let clock: ManualClock;
  let log: HeardLog;
  let drafts: Drafts;
  let told: unknown[];

  const newWindow = (): Drafts => new Drafts({ files, clock, log, tell: (error) => told.push(error) });

  beforeEach(() => {
    files = new MemoryDrafts();
    clock = new ManualClock();
    log = new HeardLog();
    told = [];
    drafts = newWindow();
  });

  it('saves while the user is typing without waiting for a pause', async () => {
    for (const text of ['a', 'ab', 'abc', 'abcd', 'abcde']) {
      drafts.type('t', text);
      await clock.advance(SAVE_AFTER_MS / 3);
    }
    assert.equal(files.writes, 1);
    assert.match(files.texts[0] ?? '', /^abc/);
    await clock.advance(SAVE_AFTER_MS);
    assert.deepEqual(files.texts, ['abcde']);
    assert.equal(clock.pending, 0);
  });

  it('opens in another window, which replaces the same file', async () => {
    drafts.type('t', 'one');
    await drafts.flush('t');
    const other = newWindow();
    assert.equal(await other.open('t'), 'one');
    other.type('t', 'one two');
    await other.flush('t');
    assert.deepEqual(files.texts, ['one two']);
    assert.equal(await drafts.open('t'), 'one two');
  });

  it('deletes a draft and its earlier versions when another window drops it', async () => {
    drafts.type('t', 'one');
    await drafts.flush('t');
    const other = newWindow();
    await other.open('t');
    await other.drop('t');
    assert.deepEqual(files.texts, []);
    assert.equal(await drafts.open('t'), undefined);
    await clock.advance(1000);
    assert.deepEqual(files.texts, []);
  });

  it('keeps text that another window typed in the meantime', async () => {
    drafts.type('t', 'one');
    await drafts.flush('t');
    const other = newWindow();
    await other.open('t');
    drafts.type('t', 'one more');
    await drafts.flush('t');
    await other.drop('t');
    assert.equal(await other.open('t'), 'one more');
  });

  it('peeks at a draft without taking it over', async () => {
    assert.equal(await drafts.peek('t'), undefined);
    drafts.type('t', 'one');
    assert.equal(await drafts.peek('t'), 'one');
    await drafts.flush('t');
    const other = newWindow();
    assert.equal(await other.peek('t'), 'one');
    other.type('t', 'two');
    await other.flush('t');
    assert.deepEqual(files.texts, ['one', 'two']);
  });

  it('lists drafts newest first and skips empty ones', async () => {
    for (const [target, text] of Object.entries({ a: 'one', b: 'two', c: ' ', d: 'other' })) {
      drafts.type(target, text);
      await drafts.flush(target);
    }
    const other = newWindow();
    other.type('a', 'one more');
    assert.deepEqual(
      (await other.list((target) => target !== 'd')).map(({ target, text }) => [target, text]),
      [
        ['a', 'one more'],
        ['b', 'two'],
      ],
    );
    await other.open('b');
    other.type('b', '');
    assert.deepEqual((await other.list(() => true)).map(({ target }) => target).toSorted(), ['a', 'd']);
  });

  it('lists unsaved drafts while the disk is full', async () => {
    files.failure = FULL;
    drafts.type('a', 'one');
    assert.deepEqual(await drafts.list(() => true), [{ target: 'a', text: 'one', at: clock.now() }]);
  });

  it('deletes a draft when its text is cleared', async () => {
    drafts.type('t', 'one');
    await drafts.flush('t');
    drafts.type('t', '');
    await drafts.flush('t');
    assert.deepEqual(files.texts, []);
    assert.equal(await drafts.open('t'), undefined);
  });

  it('keeps drafts in memory on a full disk, reports that once and saves them when possible', async () => {
    files.failure = FULL;
    drafts.type('t', 'one');
    await clock.advance(SAVE_AFTER_MS);
    drafts.type('t', 'one two');
    await clock.advance(RETRY_AFTER_MS);
    assert.deepEqual([log.lines.length, told, drafts.isFailing], [1, [FULL], true]);
    assert.equal(await drafts.open('t'), 'one two');
    files.failure = undefined;
    await clock.advance(RETRY_AFTER_MS);
    assert.deepEqual([files.texts, drafts.isFailing, clock.pending], [['one two'], false, 0]);
    files.failure = FULL;
    drafts.type('t', 'one two three');
    await clock.advance(SAVE_AFTER_MS);
    assert.deepEqual(told, [FULL, FULL]);
  });

  it('reports a failed flush only to its caller', async () => {
    files.failure = FULL;
    drafts.type('t', 'one');
    await assert.rejects(drafts.flush('t'), FULL);
    await clock.advance(RETRY_AFTER_MS);
    assert.deepEqual([told, await drafts.peek('t')], [[], 'one']);
    drafts.type('t', '');
    await drafts.flush('t');
  });

  it('keeps one more text beside the typed one, even on a full disk', async () => {
    drafts.type('t', 'typed');
    await drafts.leave('t', 'given');
    assert.deepEqual(files.texts, ['typed', 'given']);
    files.failure = FULL;
    drafts.type('u', 'typed');
    await drafts.leave('u', 'given');
    for (const target of ['t', 'u']) {
      assert.equal(await drafts.open(target), 'given');
      await drafts.drop(target);
      assert.equal(await drafts.open(target), 'typed');
      await drafts.drop(target);
      assert.equal(await drafts.open(target), undefined);
    }
  });

  it('saves all pending texts as soon as the disk has space again', async () => {
    files.failure = FULL;
    drafts.type('t', 'typed');
    await drafts.leave('t', 'given');
    files.failure = undefined;
    await clock.advance(RETRY_AFTER_MS);
    assert.deepEqual([files.texts.toSorted(), clock.pending], [['given', 'typed'], 0]);
  });

  it('adopts a restored text only if it matches the last saved draft', async () => {
    drafts.type('t', 'one');
    drafts.type('u', 'other');
    await drafts.flushAll();
    const later = newWindow();
    await later.adopt('t', 'one');
    await later.adopt('u', 'mine');
    later.type('t', 'one more');
    later.type('u', 'mine too');
    await later.flushAll();
    assert.deepEqual(files.texts.toSorted(), ['mine too', 'one more', 'other']);
    await later.drop('t');
    assert.deepEqual(files.texts.toSorted(), ['mine too', 'other']);
  });

  it('saves all drafts on flushAll', async () => {
    drafts.type('t', 'one');
    drafts.type('u', 'two');
    await drafts.flushAll();
    assert.deepEqual(files.texts.toSorted(), ['one', 'two']);
    assert.equal(clock.pending, 0);
  });

  it('notifies listeners of every change of a draft, from any window', async () => {
    const heard: string[] = [];
    const subscription = drafts.onDidChange('t', (text) => heard.push(text));
    drafts.type('t', 'typed');
    drafts.type('u', 'another');
    await drafts.leave('t', 'given');
    await drafts.drop('t');
    assert.equal(await drafts.open('t'), 'typed');
    const other = newWindow();
    await other.open('t');
    other.type('t', 'typed elsewhere');
    await other.flush('t');
    assert.equal(await drafts.open('t'), 'typed elsewhere');
    subscription.dispose();
    drafts.type('t', '');
    assert.deepEqual(heard, ['typed', 'given', '', 'typed', 'typed elsewhere']);
  });

  it('continues with text that is typed while the draft is being read', async () => {
    drafts.type('t', 'one');
    await drafts.flush('t');
    const opened = drafts.open('t');
    const newest = files.newest.bind(files);
    files.newest = (target) => {
      files.newest = newest;
      drafts.type('t', 'one!');
      return newest(target);
    };
    assert.equal(await opened, 'one!');
    await drafts.flush('t');
    assert.deepEqual(files.texts, ['one!']);
  });
});
