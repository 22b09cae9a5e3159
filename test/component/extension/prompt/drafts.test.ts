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
    assert.deepEqual([log.lines.length, told], [1, [FULL]]);
    assert.equal(await drafts.open('t'), 'one two');
    files.failure = undefined;
    await clock.advance(RETRY_AFTER_MS);
    assert.deepEqual([files.texts, clock.pending], [['one two'], 0]);
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
    assert.deepEqual([told, await drafts.open('t')], [[], 'one']);
    drafts.type('t', '');
    await drafts.flush('t');
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
    assert.equal(await drafts.open('t'), 'typed');
    const other = newWindow();
    await other.open('t');
    other.type('t', 'typed elsewhere');
    await other.flush('t');
    assert.equal(await drafts.open('t'), 'typed elsewhere');
    subscription.dispose();
    drafts.type('t', '');
    assert.deepEqual(heard, ['typed', 'typed', 'typed elsewhere']);
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
