import { match, ok } from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, Range, Uri, window, workspace } from 'vscode';
import { gitApi, openRepositories } from '../../../src/extension/platform/gitExtension';
import { createSampleRepository, git } from '../../support/temporaryRepository';
import { activatedApi } from './support';

describe('changes inserted into the composer', function () {
  let folder: string;
  before(async () => {
    await activatedApi();
    folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const api = await gitApi();
    ok(api !== undefined && (await openRepositories(api)).length > 0, 'the Git extension has found the repository');
  });
  after(async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
    await rm(join(folder, 'second'), { recursive: true });
    await git(folder, 'clean', '-qfd');
    await git(folder, 'switch', '--quiet', '--force', 'main');
  });

  /** Returns the text of the composer after a command, and empties the composer. */
  const composed = async (command: string, argument: unknown): Promise<string> => {
    await commands.executeCommand(command, argument);
    const editor = window.activeTextEditor;
    ok(editor?.document.languageId === 'docs-agent-prompt', 'the prompt is open');
    const text = editor.document.getText();
    const all = editor.document.validateRange(new Range(0, 0, 100_000, 0));
    await editor.edit((edit) => edit.delete(all));
    await editor.document.save();
    return text;
  };

  it('include changed, renamed, binary and new files of the working tree', async () => {
    await writeFile(join(folder, 'src/retry.ts'), 'export const attempts = 5;\n');
    await rename(join(folder, 'docs/index.md'), join(folder, 'docs/home.md'));
    await git(folder, 'add', 'docs');
    await writeFile(join(folder, 'logo.png'), Buffer.from([1, 0, 2]));
    await writeFile(join(folder, 'notes.md'), 'A note with ``` in it\n');
    const text = await composed('docsAgent.document', { kind: 'workingTree' });
    match(text, /^Update the documentation for these changes\.\n\nChanges in the working tree of `workspace`/);
    match(text, /^````diff\n4 files changed, /m);
    match(text, /^R docs\/index\.md -> docs\/home\.md, /m);
    match(text, /^\? logo\.png, binary, not shown$/m);
    match(text, /^\+A note with ``` in it$/m);
    match(text, /^\+export const attempts = 5;$/m);
    const staged = await composed('docsAgent.addContext', { kind: 'staged' });
    match(staged, /^1 file changed, \+0 -0\nR docs/m);
  });

  it('come from the repository that the source control view passes', async () => {
    const second = join(folder, 'second');
    await mkdir(second);
    await createSampleRepository(second);
    await writeFile(join(second, 'README.md'), 'In the second\n');
    const api = await gitApi();
    await (api as unknown as { openRepository(uri: Uri): Promise<unknown> }).openRepository(Uri.file(second));
    const text = await composed('docsAgent.document', { rootUri: Uri.file(second), kind: 'workingTree' });
    match(text, /of `second`/);
    match(text, /^\+In the second$/m);
    // An editor menu passes its file, and the user picks changes. The first kind of them is the working tree.
    const accepting = setInterval(
      () => void commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem'),
      500,
    );
    try {
      const { scheme, authority, path, query, fragment } = Uri.file(join(second, 'docs/index.md'));
      const file = { scheme, authority, path, query, fragment };
      const ofFile = await composed('docsAgent.document', { what: 'changes', ...file });
      match(ofFile, /of `second`/);
    } finally {
      clearInterval(accepting);
    }
  });
});
