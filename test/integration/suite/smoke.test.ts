import { strictEqual } from 'node:assert/strict';
import { extensions, workspace } from 'vscode';

describe('the extension in a real host', () => {
  it('is there and becomes active', async () => {
    const extension = extensions.getExtension('docs-agent.docs-agent-jobs');
    await extension?.activate();
    strictEqual(extension?.isActive, true);
  });

  it('has a workspace folder to work on', () => {
    strictEqual(workspace.workspaceFolders?.length, 1);
  });
});
