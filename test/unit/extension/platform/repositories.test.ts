import { deepStrictEqual } from 'node:assert/strict';
import type { Uri } from 'vscode';
import { Repositories } from '../../../../src/extension/platform/repositories';
import { gitExtension, window, workspace } from '../../../support/fakeEditor';

const uriOf = (path: string): Uri => ({ path, scheme: 'file', toString: () => `file://${path}` }) as Uri;

describe('the repositories of the workspace’s folders', () => {
  let told: string[];

  beforeEach(() => {
    told = [];
    Object.assign(window, { showWarningMessage: async (text: string) => void told.push(text) });
  });

  /** Opens folders; the Git extension knows these repositories. */
  async function found(folders: readonly string[], roots: readonly string[], isTrusted = true): Promise<string[]> {
    const repositories = roots.map((root) => ({ rootUri: uriOf(root), state: { HEAD: {} } }));
    gitExtension.api = {
      state: 'initialized',
      repositories,
      getRepository: ({ path }: Uri) =>
        repositories.find(({ rootUri }) => `${path}/`.startsWith(`${rootUri.path}/`)) ?? null,
    };
    Object.assign(workspace, { isTrusted, workspaceFolders: folders.map((folder) => ({ uri: uriOf(folder) })) });
    return (await new Repositories().ofFolders()).map(({ rootUri }) => rootUri.path);
  }

  it('are those that contain a folder or are in one, each listed once', async () => {
    deepStrictEqual(await found(['/a/docs', '/a/src', '/b'], ['/a', '/b', '/c']), ['/a', '/b']);
    deepStrictEqual(await found(['/project'], ['/project/a', '/project/b', '/projects']), ['/project/a', '/project/b']);
    deepStrictEqual(told, []);
  });

  it('are none without a repository or in an untrusted workspace, and a message says why', async () => {
    deepStrictEqual(await found(['/a'], ['/b']), []);
    deepStrictEqual(await found(['/a'], []), []);
    deepStrictEqual(await found(['/a'], ['/a'], false), []);
    const none = 'No Git repository is open. Open a repository folder.';
    deepStrictEqual(told, [none, none, 'Git commands are disabled in Restricted Mode. Trust the workspace first.']);
  });
});
