import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DraftFiles } from '../../../../src/jobs/store/draftFiles';
import { projectFolder, readFolder } from '../../../../src/extension/sending/drafts';
import { ManualClock } from '../../../support/manualClock';
import { HeardLog } from './recordsOnDisk';

const BOX = 'local/guide/box';

describe('DraftFiles', () => {
  let folder: string;
  let root: string;
  let clock: ManualClock;
  let log: HeardLog;

  const window = (writer: string): DraftFiles => new DraftFiles({ root, writer, clock, log });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drafts-'));
    root = join(folder, 'drafts');
    clock = new ManualClock();
    log = new HeardLog();
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('returns the newest text of each box from any window', async () => {
    const [a, b] = [window('a'), window('b')];
    await a.write(BOX, 'one');
    await clock.advance(5);
    await b.write(BOX, 'two');
    await b.write('local/guide/selection', 'other');
    await b.write('job/k/edit s1', 'third');
    const texts = [BOX, 'local/guide/selection', 'job/k/edit s1', 'job/k/edit s2', 'job/none/box'].map(
      async (key) => (await window('c').newest(key))?.text,
    );
    assert.deepEqual(await Promise.all(texts), ['two', 'other', 'third', undefined, undefined]);
    assert.deepEqual([log.lines, await a.all()], [[], []]);
  });

  it('sorts a new text after the one that was read, even if the clock was set back', async () => {
    await window('a').write(BOX, 'old');
    clock.jump(-3_600_000);
    const b = window('b');
    await b.newest(BOX);
    await b.write(BOX, 'new');
    assert.equal((await window('c').newest(BOX))?.text, 'new');
  });

  it('removes a text that was read but no later one', async () => {
    const [a, b] = [window('a'), window('b')];
    await a.write(BOX, 'one');
    const read = await b.newest(BOX);
    await clock.advance(1);
    await a.write(BOX, 'two');
    await b.remove([read!.path]);
    assert.equal((await b.newest(BOX))?.text, 'two');
    assert.equal((await readdir(join(root, 'local/guide'))).length, 1);
  });

  it('lists the last text typed in a box for each target', async () => {
    const [a, b] = [window('a'), window('b')];
    await a.write('local/guide/box', 'one');
    await a.write('local/guide/duplicate', 'other');
    await clock.advance(1);
    await b.write('job/k/box', 'two');
    await clock.advance(1);
    await b.write('local/guide/box', 'three');
    await a.create('job/k', { title: 'Follow-up', text: 'four' });
    assert.deepEqual((await window('c').typed('box')).map(({ folder, text }) => [folder, text]).toSorted(), [
      ['job/k', 'two'],
      ['local/guide', 'three'],
    ]);
  });

  it('creates a file for each prompt, even if windows do so at the same time, and lists them newest first', async () => {
    const created = await Promise.all(
      ['one', 'two', 'three'].map((text) => window('a').create('local/guide', { title: 'New job', text })),
    );
    assert.deepEqual(created.map((path) => basename(path)).toSorted(), [
      'New job (2).md',
      'New job (3).md',
      'New job.md',
    ]);
    const other = await window('b').create('job/k', { title: 'Follow-up to “a/b”: ~?', text: 'four' });
    assert.equal(basename(other), 'Follow-up to “a b”.md');
    await utimes(created[1] ?? '', 1, 1);
    const all = await window('b').all();
    assert.equal(all.at(-1)?.text, 'two');
    assert.deepEqual(all.map((file) => [file.folder, file.text]).toSorted(), [
      ['job/k', 'four'],
      ['local/guide', 'one'],
      ['local/guide', 'three'],
      ['local/guide', 'two'],
    ]);
    assert.deepEqual(
      (await window('b').all('job/k')).map(({ path }) => path),
      [other],
    );
    await window('b').removeEmpty(other);
    await writeFile(other, ' \n');
    await window('b').removeEmpty(other);
    assert.deepEqual(await window('b').all('job/k'), []);
  });

  it('keeps the drafts of each service and project apart, and makes files private', async () => {
    const targets = ['https://docs.example', 'http://127.0.0.1:80', 'local'].flatMap((service) =>
      ['1f', '1f 2', '../x', 'ü*?"<>|', 'a/b'].map((projectId) => ({ service, projectId })),
    );
    for (const target of targets) {
      assert.deepEqual(readFolder(projectFolder(target)), target);
      assert.match(projectFolder(target), /^[^/\\:*?"<>|]+\/[^/\\:*?"<>|]+$/);
    }
    assert.deepEqual(readFolder('job/k'), { jobKey: 'k' });
    assert.equal(readFolder('%/%'), undefined);
    const file = await window('a').write(BOX, 'x');
    if (process.platform !== 'win32') {
      assert.equal((await stat(root)).mode & 0o777, 0o700);
      const prompt = await window('a').create('local/guide', { title: 'New job', text: 'x' });
      assert.deepEqual(
        await Promise.all([file, prompt].map(async (path) => (await stat(path)).mode & 0o777)),
        [0o600, 0o600],
      );
    }
  });

  it('deletes temporary files of a crash after ten minutes', async () => {
    const at = join(root, 'local', 'guide');
    await mkdir(at, { recursive: true });
    const [old, young] = [join(at, 'a.md.tmp'), join(at, 'b.md.tmp')];
    await Promise.all([writeFile(old, 'x'), writeFile(young, 'y')]);
    const before = new Date(Date.now() - 700_000);
    await utimes(old, before, before);
    await window('a').all();
    assert.deepEqual(await readdir(at), ['b.md.tmp']);
  });

  it('returns nothing and logs it when the folder cannot be read', async () => {
    await mkdir(join(root, 'local'), { recursive: true });
    await writeFile(join(root, 'local', 'guide'), 'a file in its place');
    await mkdir(join(root, 'job', 'k', 'New job.md'), { recursive: true });
    assert.deepEqual([await window('a').newest(BOX), await window('a').all()], [undefined, []]);
    assert.equal(log.lines.length, 1);
    await assert.rejects(window('a').write(BOX, 'x'));
    await assert.rejects(window('a').create('local/guide', { title: 'New job', text: 'x' }));
  });
});
