import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../../src/local-service/options';
import { claimDataFolder, readOrCreateKey } from '../../../src/local-service/dataFolder';
import { temporaryFolder } from '../../support/temporaryRepository';

describe('readOrCreateKey', () => {
  it('creates a key once', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'key');
    const key = await readOrCreateKey(file);
    assert.equal(await readOrCreateKey(file), key);
    assert.deepEqual(await readdir(folder), ['key']);
  });
});

describe('claimDataFolder', () => {
  const folderWith = async (...names: string[]): Promise<string> => {
    const folder = await temporaryFolder();
    await Promise.all(names.map((name) => writeFile(join(folder, name), '')));
    return folder;
  };

  it('accepts new and empty folders, and accepts them again', async () => {
    const parent = await temporaryFolder();
    for (const folder of [join(parent, 'new/data'), await folderWith()]) {
      await claimDataFolder(folder);
      await writeFile(join(folder, 'anything'), '');
      await claimDataFolder(folder);
    }
  });

  it('accepts a folder with only what an editor writes there', async () => {
    await claimDataFolder(await folderWith('service.log', 'service.log.1', 'stopped'));
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
