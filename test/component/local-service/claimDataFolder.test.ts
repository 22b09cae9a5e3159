import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../../src/local-service/commandLine';
import { claimDataFolder } from '../../../src/local-service/dataFolder';
import { temporaryFolder } from '../../support/temporaryRepository';

describe('claimDataFolder', () => {
  const folderWith = async (...names: string[]): Promise<string> => {
    const folder = await temporaryFolder();
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    return folder;
  };

  it('accepts new and empty folders, also a second time', async () => {
    const parent = await temporaryFolder();
    for (const folder of [join(parent, 'new/data'), await folderWith()]) {
      await claimDataFolder(folder);
      await writeFile(join(folder, 'anything'), '');
      await claimDataFolder(folder);
    }
  });

  it('accepts a folder with only the files that exist before the first job', async () => {
    await claimDataFolder(await folderWith('service.log', 'service.log.1', 'stopped', 'key'));
  });

  it('accepts a folder of an older version with a database or state file', async () => {
    const withState = await folderWith('other');
    const state = { version: 1, pid: 1, startTime: '1', port: 1, build: 'x' };
    await writeFile(join(withState, 'state.json'), JSON.stringify(state));
    for (const folder of [await folderWith('service.db', 'other'), withState]) {
      await claimDataFolder(folder);
    }
  });

  it('rejects a folder with the user’s files and leaves it unchanged', async () => {
    const folder = await folderWith('README.md', 'state.json');
    await mkdir(join(folder, 'push'));
    await assert.rejects(
      claimDataFolder(folder),
      (error) => error instanceof UsageError && error.message.includes('contains files from another program'),
    );
    assert.deepEqual((await readdir(folder)).toSorted(), ['README.md', 'push', 'state.json']);
  });
});
