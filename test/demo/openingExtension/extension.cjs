// Opens what a newcomer looks for first: the jobs view and, next to it, a sample page with a selected sentence.
const { commands, Range, Uri, window, workspace } = require('vscode');

const SELECTED = 'Failed requests are retried a few times.';
exports.SELECTED = SELECTED;

exports.activate = async ({ workspaceState }) => {
  const [folder] = workspace.workspaceFolders ?? [];
  if (folder === undefined || workspaceState.get('opened') === true) {
    return;
  }
  // A reload must not take away what the user has opened since.
  await workspaceState.update('opened', true);
  await commands.executeCommand('workbench.view.extension.docsAgent');
  const document = await workspace.openTextDocument(Uri.joinPath(folder.uri, 'docs', 'getting-started.md'));
  const start = document.getText().indexOf(SELECTED);
  if (start === -1) {
    throw new Error(`The sample page no longer contains “${SELECTED}”`);
  }
  const selection = new Range(document.positionAt(start), document.positionAt(start + SELECTED.length));
  await window.showTextDocument(document, { selection, preview: false });
};
