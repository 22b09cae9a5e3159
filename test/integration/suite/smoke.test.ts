import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { commands, extensions, workspace } from 'vscode';

describe('the extension in a real host', () => {
  it('is installed and activates', async () => {
    const extension = extensions.getExtension('docs-agent.docs-agent-jobs');
    await extension?.activate();
    strictEqual(extension?.isActive, true);
  });

  it('has an open workspace folder', () => {
    strictEqual(workspace.workspaceFolders?.length, 1);
  });

  it('registers every command of its manifest', async () => {
    const { contributes } = extensions.getExtension('docs-agent.docs-agent-jobs')!.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const registered = new Set(await commands.getCommands(true));
    deepStrictEqual(
      contributes.commands.map(({ command }) => command).filter((command) => !registered.has(command)),
      [],
    );
  });
});
