import { match, ok, strictEqual } from 'node:assert/strict';
import { symlink, unlink } from 'node:fs/promises';
import { commands, Selection, Uri, window, workspace } from 'vscode';
import { activatedApi, clearPrompts } from './support';

const FOLDER = '.docs-agent/prompts';

const place = (path: string): Uri => Uri.joinPath(workspace.workspaceFolders![0]!.uri, path);
const write = (path: string, text: string): Thenable<void> =>
  workspace.fs.writeFile(place(path), new TextEncoder().encode(text));

describe('prompt templates', () => {
  const insert = async (name: string): Promise<string> => {
    await commands.executeCommand('docsAgent.addContext', { kind: 'template', name });
    return window.activeTextEditor?.document.getText().trimEnd() ?? '';
  };
  const openPage = async (selection: Selection): Promise<void> => {
    const editor = await window.showTextDocument(place('docs/page.md'));
    editor.selection = selection;
  };

  before(async () => {
    await activatedApi();
    await write('docs/page.md', '# Page\n\nRetries are `three`.\n');
    await write(`${FOLDER}/Our guide.md`, 'About `$file`, \\$selection:\n\n$selection\n\nNo more.\n');
    await write(`${FOLDER}/Asking.md`, 'For $ask{Who?}, again $ask{Who?}: $ask{How?}.');
  });
  beforeEach(clearPrompts);
  after(async () => {
    await clearPrompts();
    await workspace.fs.delete(place('.docs-agent'), { recursive: true });
    await workspace.fs.delete(place('docs/page.md'));
    await commands.executeCommand('docsAgent.stopLocalService');
  });

  it('are inserted with their variables filled in and context on separate lines', async () => {
    await openPage(new Selection(2, 0, 2, 20));
    // Between the heading and the fence there may be further details about the location.
    match(
      await insert('Our guide'),
      /^About `docs\/page\.md`, \$selection:\n\nFrom `docs\/page\.md`, line 3:\n\n[^`]*```markdown\nRetries are `three`\.\n```\n\nNo more\.$/,
    );
  });

  it('are read from their files each time, but not through a link', async () => {
    const read = async (): Promise<boolean> => (await insert('First')) === 'First';
    await write(`${FOLDER}/First.md`, 'First');
    ok(await read());
    for (const linked of ['.docs-agent', FOLDER]) {
      await clearPrompts();
      await workspace.fs.rename(place(linked), place('kept'));
      await symlink(place('kept').fsPath, place(linked).fsPath, 'junction');
      try {
        strictEqual(await read(), false, linked);
      } finally {
        await unlink(place(linked).fsPath);
        await workspace.fs.rename(place('kept'), place(linked));
      }
    }
  });

  it('turn questions into placeholders, and link equal ones', async () => {
    strictEqual(await insert('Asking'), 'For Who?, again Who?: How?.');
    await commands.executeCommand('type', { text: 'beginners' });
    await commands.executeCommand('jumpToNextSnippetPlaceholder');
    await commands.executeCommand('type', { text: 'briefly' });
    strictEqual(window.activeTextEditor?.document.getText().trimEnd(), 'For beginners, again beginners: briefly.');
  });
});
