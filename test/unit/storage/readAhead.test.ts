import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { JobStore } from '../../../src/jobs/jobStore';
import type { TrackedJob } from '../../../src/jobs/trackedJob';
import { systemClock as clock } from '../../../src/shared/util/clock';
import { JobFiles } from '../../../src/storage/jobFiles';
import { ReadAhead } from '../../../src/storage/readAhead';
import { readFolder } from '../../../src/storage/recordFolder';
import { writeFinishedJobs } from '../../support/finishedJobs';
import { HeardLog, RecordsOnDisk, seen } from './recordsOnDisk';

const source = fileURLToPath(new URL('../../../src/storage/recordReader.ts', import.meta.url));

describe('a long list read ahead', function () {
  this.timeout(60_000);

  let disk: RecordsOnDisk;
  let root: string;
  let built: string;
  let reader: string;

  before(async () => {
    built = await mkdtemp(join(tmpdir(), 'reader-'));
    reader = join(built, 'recordReader.mjs');
    await build({ entryPoints: [source], outfile: reader, bundle: true, platform: 'node', format: 'esm' });
  });

  after(() => rm(built, { recursive: true, force: true }));

  beforeEach(async () => {
    disk = await RecordsOnDisk.make();
    root = join(disk.root, 'jobs');
  });

  afterEach(() => disk.clear());

  const loaded = async (script?: string): Promise<TrackedJob[]> => {
    const files = new JobFiles(root, disk.log, script);
    const store = new JobStore({ files, clock, newId: () => 'x', log: disk.log });
    await store.load();
    return store.jobs.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  };

  it('is the same as one that is read in one thread, damaged files and all', async () => {
    const keys = await writeFinishedJobs(root, 2100);
    await writeFile(join(disk.folder(keys[7]), '000000001-a.json'), '{"version":1,"event":{"type":"seen"}}');
    const ahead = await loaded(reader);
    strictEqual(ahead.length, 2100);
    strictEqual(disk.log.lines.filter((line) => line.includes('is damaged')).length, 1);
    deepStrictEqual(ahead, await loaded());
  });

  it('is read by the one thread where the other can’t start', async () => {
    await writeFinishedJobs(root, 2100);
    strictEqual((await loaded(join(disk.root, 'no such script.mjs'))).length, 2100);
    deepStrictEqual(disk.log.lines, []);
  });

  it('gives each job once, and nothing for one that can’t be read or was not asked for', async () => {
    const [first = '', second = '', third = ''] = await writeFinishedJobs(root, 3);
    await rm(join(root, second), { recursive: true });
    const ahead = new ReadAhead(reader, { root, keys: [first, second] });
    deepStrictEqual(await ahead.take(first), readFolder(join(root, first)));
    strictEqual(await ahead.take(first), undefined);
    strictEqual(await ahead.take(second), undefined);
    strictEqual(await ahead.take(third), undefined);
  });

  it('is not taken for what is new of a job', async () => {
    const [key = ''] = await writeFinishedJobs(root, 2100);
    const files = new JobFiles(root, new HeardLog(), reader);
    await files.list();
    const known = new Set((await files.read(key)).map(({ stamp }) => stamp));
    const again = new JobFiles(root, new HeardLog(), reader);
    await again.list();
    await files.write(key, seen(4_000_000_000_000));
    deepStrictEqual(await again.read(key, known), [seen(4_000_000_000_000)]);
  });
});
