import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { useWindow } from '../window';

const ID = 'docs-agent.docs-agent-jobs';

describe('the packaged extension', () => {
  const window = useWindow();

  it('becomes active in a fresh profile', async () => {
    const { host } = window().workbench;
    const isActive = await host.run(async (vscode, id) => {
      const extension = vscode.extensions.getExtension(id);
      await extension?.activate();
      return extension?.isActive;
    }, ID);
    strictEqual(isActive, true);
  });

  it('has an implementation for every command of its manifest', async () => {
    const missing = await window().workbench.host.run(async (vscode, id) => {
      const manifest = vscode.extensions.getExtension(id)?.packageJSON as {
        contributes: { commands: { command: string }[] };
      };
      const known = new Set(await vscode.commands.getCommands(true));
      return manifest.contributes.commands.map(({ command }) => command).filter((command) => !known.has(command));
    }, ID);
    deepStrictEqual(missing, []);
  });
});
