import { deepStrictEqual } from 'node:assert/strict';
import { editor } from '../../support/fakeEditor';

describe('a new job for the local service', () => {
  it('is refused for a folder that isn’t on this machine', async () => {
    const { Projects } = await import('../../../src/extension/sending/projects');
    const folders = ['file', 'vscode-vfs'].map((scheme) => ({ uri: { scheme, fsPath: `/home/u/${scheme}` } }));
    const registered: string[] = [];
    const shown: string[] = [];
    Object.assign(editor.window, { showWarningMessage: async (text: string) => void shown.push(text) });
    Object.assign(editor.workspace, {
      isTrusted: true,
      workspaceFolders: folders,
      getWorkspaceFolder: (uri: unknown) => folders.find((folder) => folder.uri === uri),
      getConfiguration: () => ({ get: (name: string, initial?: unknown) => (name === 'service' ? 'local' : initial) }),
    });
    const register = async (folder: string): Promise<object> => {
      registered.push(folder);
      return { agent: {}, dirty: false, projectId: 'p', name: 'n' };
    };
    const projects = new Projects({ register } as never, true, {} as never, async () => false);
    for (const { uri } of folders) {
      await projects.choose(undefined, uri as never);
    }
    deepStrictEqual(registered, ['/home/u/file']);
    deepStrictEqual(shown, ['The local service needs a Git repository. Open its folder first.']);
  });
});
