import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock as clock } from '../../../../src/base/async';
import { Compaction } from '../../../../src/jobs/compaction';
import type { JobEvent, RecordedEvent } from '../../../../src/jobs/events';
import { JobStore } from '../../../../src/jobs/jobStore';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import { snapshot } from '../../../support/trackedJob';
import { intent, KEY, RecordsOnDisk, seen } from './recordsOnDisk';

describe('Compaction of a job’s records', () => {
  let disk: RecordsOnDisk;

  beforeEach(async () => {
    disk = await RecordsOnDisk.make();
  });
  afterEach(() => disk.clear());

  const records = [intent(1, 's'), seen(2), seen(3), seen(4)];
  const window = (): JobFiles => new JobFiles(join(disk.root, 'jobs'), disk.log);
  const names = async (): Promise<string[]> => (await readdir(disk.folder())).toSorted();
  const compactedNames = async (): Promise<string[]> => (await names()).filter((name) => name.endsWith('.jsonl'));

  async function write(all: readonly RecordedEvent<JobEvent>[] = records): Promise<void> {
    for (const each of all) {
      await disk.files.write(KEY, each);
    }
  }

  it('merges records into one file next to the first one and keeps claims and content', async () => {
    await write();
    await disk.files.claim(KEY, 'go-s');
    const before = await disk.files.read(KEY);
    await disk.files.compact(KEY);
    const [compacted = ''] = await compactedNames();
    assert.deepEqual(await names(), [`${intent(1, 's').stamp}.json`, compacted, 'go-s']);
    assert.deepEqual(await window().read(KEY), before);
  });

  it('keeps the job’s first record with its prompt when the compacted file is lost', async () => {
    await write();
    await disk.files.compact(KEY);
    const [name = ''] = await compactedNames();
    await writeFile(disk.path(name), '');
    assert.deepEqual(await window().read(KEY), [records[0]]);
  });

  it('skips jobs with few files and compacts again when new records have accumulated', async () => {
    await write(records.slice(0, 2));
    await disk.files.compact(KEY);
    assert.deepEqual(await compactedNames(), []);
    await write(records.slice(2));
    await disk.files.compact(KEY);
    const [first] = await compactedNames();
    await write([seen(5), seen(6)]);
    assert.deepEqual(await disk.files.read(KEY, new Set(records.map(({ stamp }) => stamp))), [seen(5), seen(6)]);
    await disk.files.compact(KEY);
    const [second, ...others] = await compactedNames();
    assert.deepEqual([others, second === first, (await names()).length], [[], false, 2]);
    assert.deepEqual(await window().read(KEY), [...records, seen(5), seen(6)]);
  });

  it('loses nothing when several windows compact while others read and write', async () => {
    const windows = [window(), window(), window()];
    const written: RecordedEvent<JobEvent>[] = [];
    for (let round = 0; round < 20; round++) {
      const added = [1, 2, 3].map((n) => seen(round * 10 + n));
      await write(added);
      written.push(...added);
      await Promise.all(windows.map((each) => each.read(KEY)));
      const [, ...read] = await Promise.all([
        ...windows.map((each) => each.compact(KEY)),
        ...Array.from({ length: 5 }, () => window().read(KEY)),
      ]);
      for (const all of read.filter((each) => each !== undefined)) {
        assert.deepEqual(all, written);
      }
    }
    assert.deepEqual(await window().read(KEY), written);
  });

  it('reads an event once when a crash left it in two files', async () => {
    await write();
    const text = await readFile(disk.path(`${seen(3).stamp}.json`));
    await disk.files.compact(KEY);
    await writeFile(disk.path(`${seen(3).stamp}.json`), text);
    assert.deepEqual(await window().read(KEY), records);
  });

  it('reads the intact lines of a damaged file, logs an error and keeps the file', async () => {
    await write();
    await disk.files.compact(KEY);
    const [name = ''] = await compactedNames();
    const damaged = (await readFile(disk.path(name), 'utf8')).replace('"at":3', '"at":!');
    await writeFile(disk.path(name), damaged);
    const files = window();
    assert.deepEqual(await files.read(KEY), [records[0], seen(2), seen(4)]);
    assert.ok(disk.log.lines.some((line) => line.startsWith('error') && line.includes(name)));
    await write([seen(5), seen(6), seen(7)]);
    await files.read(KEY);
    await files.compact(KEY);
    assert.equal(await readFile(disk.path(name), 'utf8'), damaged);
    assert.deepEqual(await window().read(KEY), [records[0], seen(2), seen(4), seen(5), seen(6), seen(7)]);
  });

  it('preserves data written by a newer version byte for byte', async () => {
    await write(records.slice(0, 2));
    const own =
      '{"version":1,\n "event":{"type":"seen","at":3.0,"__proto__":[1e2],"by":{"id":"\\u0061"}},"more":null}\n';
    const kept = '"event":{"type":"seen","at":3.0,"__proto__":[1e2],"by":{"id":"\\u0061"}},"more":null';
    await writeFile(disk.path(`${seen(3).stamp}.json`), own);
    const lines = `${JSON.stringify({ stamp: seen(4).stamp, version: 4, event: { type: 'merged', at: 'later' } })}\n`;
    await writeFile(disk.path(`all-${'0'.repeat(16)}.jsonl`), lines);
    for (const at of [5, 6]) {
      await disk.files.read(KEY);
      await disk.files.compact(KEY);
      const [newer = '', compacted = '', ...others] = await compactedNames();
      assert.deepEqual([await readFile(disk.path(newer), 'utf8'), others], [lines, []]);
      assert.ok((await readFile(disk.path(compacted), 'utf8')).includes(kept));
      await write([seen(at), seen(at + 10)]);
    }
    assert.deepEqual((await window().read(KEY)).slice(0, 3), records.slice(0, 3));
  });

  it('does not merge files of a newer version', async () => {
    await write();
    const newer = disk.path('000000009-x.json');
    await writeFile(newer, JSON.stringify({ version: 4, event: { type: 'merged', at: 'later' } }));
    await disk.files.compact(KEY);
    assert.ok((await names()).includes('000000009-x.json'));
    assert.deepEqual(await window().read(KEY), records);
  });

  it('runs for ended jobs, when they end and after a restart, but not for running ones', async () => {
    const home = { service: 'local', projectId: 'p' };
    const store = new JobStore({ files: disk.files, clock, newId: () => 'x', log: disk.log });
    const compaction = new Compaction({ store, files: disk.files, log: disk.log });
    const running = snapshot('active');
    const ended = { ...running, status: 'completed' };
    await store.append(KEY, { type: 'send', at: 1, send: 's', kind: 'create', prompt: 'p', home });
    await store.append(KEY, { type: 'created', at: 2, send: 's', job: running });
    await store.append(KEY, { type: 'changed', at: 3, run: 's', job: { ...running, model: 'm' }, end: false });
    await compaction.idle;
    assert.equal((await compactedNames()).length, 0);
    await store.append(KEY, { type: 'changed', at: 4, run: 's', job: ended, end: true });
    await compaction.idle;
    const packed = async (): Promise<number[]> => [(await names()).length, (await compactedNames()).length];
    assert.deepEqual(await packed(), [2, 1]);
    compaction.dispose();
    for (const at of [5, 6]) {
      await store.append(KEY, { type: 'seen', at });
    }
    const later = new JobStore({ files: window(), clock, newId: () => 'x', log: disk.log });
    await later.load();
    assert.deepEqual(later.get(KEY), store.get(KEY));
    assert.deepEqual(await packed(), [4, 1]);
    const next = new Compaction({ store, files: disk.files, log: disk.log });
    next.packAll();
    await next.idle;
    assert.deepEqual(await packed(), [2, 1]);
    next.dispose();
  });
});
