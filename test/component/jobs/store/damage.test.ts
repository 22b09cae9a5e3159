import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import { HeardLog, intent, KEY, RecordsOnDisk, seen } from './recordsOnDisk';

describe('JobFiles with damaged records', () => {
  let disk: RecordsOnDisk;

  beforeEach(async () => {
    disk = await RecordsOnDisk.make();
    await disk.files.write(KEY, seen(1));
    await disk.files.write(KEY, intent(2, 's'));
    await disk.files.write(KEY, seen(3));
  });

  afterEach(() => disk.clear());

  const NAME = `${intent(2, 's').stamp}.json`;

  /** Replaces the middle record and reads all records. */
  async function readWith(content: string | Buffer): Promise<{ others: boolean; setAside: boolean; logged: number }> {
    await rm(disk.path(`${NAME}.damaged`), { force: true });
    await writeFile(disk.path(NAME), content);
    const log = new HeardLog();
    const records = await new JobFiles(`${disk.root}/jobs`, log).read(KEY);
    const others = records.filter(({ event }) => event.type === 'seen');
    const names = await readdir(disk.folder());
    const setAside = names.includes(`${NAME}.damaged`);
    if (setAside) {
      assert.deepEqual(await readFile(disk.path(`${NAME}.damaged`)), Buffer.from(content), 'the damaged file changed');
      assert.ok(!names.includes(NAME));
    }
    assert.ok(setAside || records.length === 3 || log.lines.some((line) => line.includes('newer')));
    const logged = log.lines.filter((line) => line.startsWith('error') && line.includes(NAME)).length;
    return { others: others.length === 2 && others[0]?.event.at === 1, setAside, logged };
  }

  for (const content of [
    'null',
    '[]',
    '"text"',
    '{}',
    '{"version":1}',
    '{"version":1,"event":{"type":"seen","at":',
    '{"version":0,"event":{"type":"seen","at":1}}',
    '{"version":"2"}',
    '{"version":1,"event":{"type":"claimed","at":1,"promptId":"s"}}',
    '{"version":1,"event":{"type":"seen","at":"1"}}',
    '{"version":1,"event":{"type":"seen","at":1e17}}',
    '{"version":1,"event":{"type":"rejected","at":1,"promptId":"s","attempt":1,"reason":{"kind":"limit","until":-1e17}}}',
    '{"version":1,"event":{"type":"__proto__","at":1}}',
    '[['.repeat(100_000),
    '\ufeff{"version":1,"event":{"type":"seen","at":1}}',
  ]) {
    it(`sets aside ${JSON.stringify(content.slice(0, 60))}`, async () => {
      assert.deepEqual(await readWith(content), { others: true, setAside: true, logged: 1 });
    });
  }

  it('reads the rest while other windows set the same files aside', async () => {
    const torn = Array.from({ length: 100 }, (_, index) => `torn${String(index).padStart(5, '0')}-a.json`);
    await Promise.all(torn.map((name) => writeFile(disk.path(name), 'torn')));
    const windows = Array.from({ length: 12 }, () => new JobFiles(`${disk.root}/jobs`, disk.log));
    for (const records of await Promise.all(windows.map((files) => files.read(KEY)))) {
      assert.deepEqual(records, [seen(1), intent(2, 's'), seen(3)]);
    }
    const names = await readdir(disk.folder());
    assert.deepEqual(
      names.filter((name) => name.startsWith('torn')).toSorted(),
      torn.map((name) => `${name}.damaged`).toSorted(),
    );
  });
});
