import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DraftFiles } from '../../../../src/jobs/store/draftFiles';
import { ManualClock } from '../../../support/manualClock';
import { HeardLog } from './recordsOnDisk';

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

  it('returns the newest text of each target from any window', async () => {
    const [a, b] = [window('a'), window('b')];
    await a.write('new job', 'one');
    await clock.advance(5);
    await b.write('new job', 'two');
    await b.write('follow-up k', 'other');
    assert.equal((await window('c').newest('new job'))?.text, 'two');
    assert.equal((await window('c').newest('follow-up k'))?.text, 'other');
    assert.equal(await window('c').newest('follow-up'), undefined);
    assert.deepEqual(log.lines, []);
  });

  it('sorts a new text after the one that was read, even if the clock was set back', async () => {
    await window('a').write('t', 'old');
    clock.jump(-3_600_000);
    const b = window('b');
    await b.newest('t');
    await b.write('t', 'new');
    assert.equal((await window('c').newest('t'))?.text, 'new');
  });

  it('lists the newest text of each target, including older formats, and skips damaged files', async () => {
    const [a, b] = [window('a'), window('b')];
    await a.write('compose new local 1f', 'one');
    await clock.advance(5);
    await b.write('compose new local 1f', 'two');
    const at = clock.now();
    await clock.advance(5);
    await a.write('compose#x1 new local 1f', 'another');
    const damaged = await a.write('follow-up k', 'x');
    await writeFile(join(root, damaged), '{"version":1,"tar');
    // A file whose name does not match the target in its content.
    const { version, text } = { version: 1, text: 'foreign' };
    await writeFile(
      join(root, `${'0'.repeat(32)}-000000001-a.json`),
      JSON.stringify({ version, target: 'compose new local 1f', text }),
    );
    const all = (await window('c').all()).toSorted((one, other) => one.at - other.at);
    assert.deepEqual(all, [
      { target: 'compose new local 1f', text: 'two', at },
      { target: 'compose#x1 new local 1f', text: 'another', at: at + 5 },
    ]);
  });

  it('removes a text that was read but no later one', async () => {
    const [a, b] = [window('a'), window('b')];
    await a.write('t', 'one');
    const read = await b.newest('t');
    await clock.advance(1);
    await a.write('t', 'two');
    await b.remove([read!.file]);
    assert.equal((await b.newest('t'))?.text, 'two');
    assert.equal((await readdir(root)).length, 1);
  });

  it('does not use the target in file names and makes files private', async () => {
    const file = await window('a').write('follow-up ../../../etc/passwd\0', 'x');
    assert.match(file, /^[0-9a-f]{32}-[0-9a-z]{9}-a\.json$/);
    assert.deepEqual(await readdir(root), [file]);
    if (process.platform !== 'win32') {
      assert.equal((await stat(root)).mode & 0o777, 0o700);
      assert.equal((await stat(join(root, file))).mode & 0o777, 0o600);
    }
  });

  it('sets a damaged file aside, keeps one of a newer version and returns the previous text', async () => {
    const a = window('a');
    await a.write('t', 'whole');
    const damaged = await a.write('t', 'x');
    const newer = await a.write('t', 'y');
    await writeFile(join(root, damaged), '{"version":1,"tar');
    await writeFile(join(root, newer), '{"version":2,"shape":"other"}');
    assert.equal((await window('b').newest('t'))?.text, 'whole');
    assert.equal(await readFile(join(root, `${damaged}.damaged`), 'utf8'), '{"version":1,"tar');
    assert.equal(await readFile(join(root, newer), 'utf8'), '{"version":2,"shape":"other"}');
    assert.equal(log.lines.length, 2);
  });

  it('ignores a file whose content names another target', async () => {
    const a = window('a');
    const file = await a.write('t', 'x');
    await writeFile(join(root, file), JSON.stringify({ version: 1, target: 'u', text: 'moved' }));
    assert.equal(await a.newest('t'), undefined);
  });

  it('deletes temporary files of a crash after ten minutes', async () => {
    await mkdir(root);
    const [old, young] = [join(root, 'a.json.tmp'), join(root, 'b.json.tmp')];
    await Promise.all([writeFile(old, 'x'), writeFile(young, 'y')]);
    const before = new Date(Date.now() - 700_000);
    await utimes(old, before, before);
    await window('a').newest('t');
    assert.deepEqual(await readdir(root), ['b.json.tmp']);
  });

  it('returns nothing and logs it when the folder cannot be read', async () => {
    await writeFile(root, 'a file in its place');
    assert.equal(await window('a').newest('t'), undefined);
    assert.equal(log.lines.length, 1);
    await assert.rejects(window('a').write('t', 'x'));
  });
});
