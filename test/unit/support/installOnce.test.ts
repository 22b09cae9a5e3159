import { deepStrictEqual, rejects } from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installOnce } from '../../support/vscode/installOnce';
import { withTemporaryFolder } from '../../support/vscode/run';

describe('installing a test tool', () => {
  const fill = (into: string): Promise<void> => writeFile(join(into, 'tool'), 'x');

  it('says what it fetches, and only when it does', () =>
    withTemporaryFolder(async (cache) => {
      const said: string[] = [];
      const install = () => installOnce(join(cache, 'tool-1'), 'a tool', fill, (text) => said.push(text));
      await install();
      await install();
      deepStrictEqual(said, ['Fetching a tool, only this once ...\n']);
      deepStrictEqual(await readFile(join(cache, 'tool-1', 'tool'), 'utf8'), 'x');
    }));

  it('fetches once for two steps that ask at the same time', () =>
    withTemporaryFolder(async (cache) => {
      const said: string[] = [];
      const install = () => installOnce(join(cache, 'tool-1'), 'a tool', fill, (text) => said.push(text));
      await Promise.all([install(), install(), install()]);
      deepStrictEqual(said, ['Fetching a tool, only this once ...\n']);
      deepStrictEqual(await readdir(cache), ['tool-1']);
    }));

  it('leaves nothing behind when it fails', () =>
    withTemporaryFolder(async (cache) => {
      const failing = () => Promise.reject(new Error('offline'));
      await rejects(
        installOnce(join(cache, 'tool-1'), 'a tool', failing, () => undefined),
        /offline/,
      );
      deepStrictEqual(await readdir(cache), []);
      await installOnce(join(cache, 'tool-1'), 'a tool', fill, () => undefined);
      deepStrictEqual(await readdir(cache), ['tool-1']);
    }));
});
