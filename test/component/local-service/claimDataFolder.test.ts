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

  it('takes a new folder and an empty one, and takes them again', async () => {
    const parent = await temporaryFolder();
    for (const folder of [join(parent, 'new/data'), await folderWith()]) {
      await claimDataFolder(folder);
      await writeFile(join(folder, 'anything'), '');
      await claimDataFolder(folder);
    }
  });

  it('takes what holds nothing but what the editor and the service leave there before the first job', async () => {
    await claimDataFolder(await folderWith('service.log', 'service.log.1', 'stopped', 'key'));
  });

  it('takes a folder of an older version, by its database or its state file', async () => {
    const withState = await folderWith('other');
    const state = { version: 1, pid: 1, startTime: '1', port: 1, build: 'x' };
    await writeFile(join(withState, 'state.json'), JSON.stringify(state));
    for (const folder of [await folderWith('service.db', 'other'), withState]) {
      await claimDataFolder(folder);
    }
  });

  it('refuses a folder with files of the user’s, and leaves it as it is', async () => {
    const folder = await folderWith('README.md', 'state.json');
    await mkdir(join(folder, 'push'));
    await assert.rejects(
      claimDataFolder(folder),
      (error) => error instanceof UsageError && error.message.includes('holds files that are not this service’s'),
    );
    assert.deepEqual((await readdir(folder)).toSorted(), ['README.md', 'push', 'state.json']);
  });
});
