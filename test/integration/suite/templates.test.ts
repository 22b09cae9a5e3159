import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { symlink, unlink } from 'node:fs/promises';
import {
  commands,
  type CompletionList,
  ConfigurationTarget,
  DocumentSymbol,
  languages,
  Range,
  Selection,
  SymbolKind,
  type TextDocument,
  Uri,
  window,
  workspace,
} from 'vscode';
import { createTemplate } from '../../../src/extension/features/prompt/templates/createTemplate';
import { findTemplates } from '../../../src/extension/features/prompt/templates/findTemplates';
import { activatedApi } from './support';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const run = (name: string, argument?: unknown): Thenable<unknown> =>
  commands.executeCommand(`docsAgent.${name}`, argument);

const place = (path: string): Uri => Uri.joinPath(workspace.workspaceFolders![0]!.uri, path);

async function write(path: string, text: string): Promise<TextDocument> {
  await workspace.fs.writeFile(place(path), new TextEncoder().encode(text));
  return workspace.openTextDocument(place(path));
}

describe('prompt templates', () => {
  const folder = '.docs-agent/prompts';
  const setting = (): ReturnType<typeof workspace.getConfiguration> => workspace.getConfiguration('docsAgent');
  const insert = async (name: string): Promise<string> => {
    await run('addContext', { kind: 'template', name });
    const { document } = window.activeTextEditor!;
    strictEqual(document.languageId, 'docs-agent-prompt');
    return document.getText().trimEnd();
  };
  const openSelected = async (): Promise<void> => {
    const editor = await window.showTextDocument(place('docs/page.md'));
    editor.selection = new Selection(2, 0, 2, 20);
  };
  /** Empties the prompt; otherwise its text would be restored. */
  const clear = async (): Promise<void> => {
    const editor = window.activeTextEditor;
    if (editor?.document.languageId === 'docs-agent-prompt') {
      const all = new Selection(0, 0, editor.document.lineCount, 0);
      await editor.edit((edit) => edit.delete(all));
      await editor.document.save();
    }
    await commands.executeCommand('workbench.action.closeAllEditors');
  };

  before(async () => {
    await activatedApi();
    await write(`${folder}/first.md`, 'First');
    await write('docs/page.md', '# Page\n\nRetries are `three`.\n');
    await setting().update(
      'promptTemplates',
      {
        'Write a how-to': null,
        Mine: ['About `${relativeFile}`, \\${selection}:', '${selection}', 'No more.'],
        'Update this page': 'Shorter',
        Asking: 'For ${input:Who?}, again ${input:Who?}: ${pick:short|long}.',
        Symbol: 'On ${branch}, explain ${symbol} to ${file}',
      },
      ConfigurationTarget.Global,
    );
  });
  afterEach(clear);
  after(async () => {
    await setting().update('promptTemplates', undefined, ConfigurationTarget.Global);
    await workspace.fs.delete(place('.docs-agent'), { recursive: true });
    await workspace.fs.delete(place('docs/page.md'));
    await run('stopLocalService');
  });

  it('defined by the user are added to the built-in ones, and can replace or hide them', async () => {
    const names = Object.entries(setting().get<Record<string, unknown>>('promptTemplates') ?? {});
    ok(names.some(([name, text]) => name === 'Document my changes' && Array.isArray(text)));
    deepStrictEqual(new Map(names).get('Write a how-to'), null);
    strictEqual(await insert('Update this page'), 'Shorter');
  });

  it('are inserted with their variables filled in and context on separate lines', async () => {
    await openSelected();
    // Between the heading and the fence there may be further details about the location.
    match(
      await insert('Mine'),
      /^About `docs\/page\.md`, \$\{selection\}:\n\nFrom `docs\/page\.md`, line 3:\n\n[^`]*```markdown\nRetries are `three`\.\n```\n\nNo more\.$/,
    );
  });

  it('fill in the branch and the symbol at the cursor', async () => {
    const editor = await window.showTextDocument(place('docs/page.md'));
    editor.selection = new Selection(2, 3, 2, 3);
    const lines = new Range(2, 0, 2, 20);
    const symbols = languages.registerDocumentSymbolProvider(
      { pattern: '**/page.md' },
      { provideDocumentSymbols: () => [new DocumentSymbol('Retries', '', SymbolKind.String, lines, lines)] },
    );
    const text = await insert('Symbol');
    symbols.dispose();
    match(text, /^On [\w-]+, explain\n\n/);
    match(text, /`docs\/page\.md`[^]*```markdown\n[^]*Retries are `three`\.\n```\n\nto \/.*\/docs\/page\.md$/);
  });

  it('of a team are read from their files each time, even if the header is invalid', async () => {
    await write(`${folder}/guide.md`, '---\nname: Team guide\n---\n\nGuide on ${relativeFile}\n');
    await write(`${folder}/broken.md`, '---\nname: [\n---\nBroken, and read\n');
    await openSelected();
    strictEqual(await insert('Team guide'), 'Guide on docs/page.md');
    await clear();
    strictEqual(await insert('broken'), 'Broken, and read');
    await clear();
    await openSelected();
    await write(`${folder}/guide.md`, '---\nname: Team guide\n---\n\nChanged\n');
    strictEqual(await insert('Team guide'), 'Changed');
  });

  for (const linked of ['.docs-agent', folder]) {
    it(`are neither read nor created through a link: ${linked}`, async () => {
      const [own, kept, target] = [place(linked), place('kept'), place('private')];
      await write('private/diary.md', 'Private');
      await write('private/prompts/diary.md', 'Private');
      await workspace.fs.rename(own, kept);
      await symlink(target.fsPath, own.fsPath, 'junction');
      try {
        const { templates, refused } = await findTemplates(log);
        deepStrictEqual(
          templates.filter(({ source }) => source === 'team'),
          [],
        );
        ok(refused.some((text) => text.startsWith(`${linked} is a symbolic link`)));
        // Would wait for a name if it did not stop at the link.
        await createTemplate({ active: undefined });
      } finally {
        await unlink(own.fsPath);
        await workspace.fs.rename(kept, own);
        await workspace.fs.delete(target, { recursive: true });
      }
    });
  }

  it('insert nothing if a variable has no value', async () => {
    (await window.showTextDocument(place('docs/page.md'))).selection = new Selection(0, 0, 0, 0);
    await run('addContext', { kind: 'template', name: 'Mine' });
    strictEqual(window.activeTextEditor?.document.uri.path.endsWith('/docs/page.md'), true);
    await run('addContext', { kind: 'template', name: 'No such template' });
    strictEqual(window.activeTextEditor.document.uri.path.endsWith('/docs/page.md'), true);
  });

  it('turn questions into snippet placeholders and choices, and link equal ones', async () => {
    await run('addContext', { kind: 'template', name: 'Asking' });
    const { document } = window.activeTextEditor!;
    const text = (): string => document.getText().trimEnd();
    strictEqual(text(), 'For Who?, again Who?: short.');
    await commands.executeCommand('type', { text: 'beginners' });
    strictEqual(text(), 'For beginners, again beginners: short.');
    await commands.executeCommand('jumpToNextSnippetPlaceholder');
    await commands.executeCommand('type', { text: 'long' });
    strictEqual(text(), 'For beginners, again beginners: long.');
  });

  it('complete variables in a team’s template file, except after a backslash', async () => {
    const document = await write(`${folder}/help.md`, '---\nname: x\n---\n${ \\${ \\\\${sel}\n');
    const complete = async (before: string): Promise<string[]> => {
      const { items } = await commands.executeCommand<CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        document.positionAt(document.getText().indexOf(before) + before.length),
        '{',
      );
      const labels = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
      return labels.filter((label) => !label.startsWith('#'));
    };
    deepStrictEqual(await complete('---\n${'), [
      'selection',
      'symbol',
      'changes',
      'file',
      'relativeFile',
      'branch',
      'input',
      'pick',
    ]);
    ok(!(await complete('---\n${ \\${')).includes('symbol'));
    ok((await complete('\\\\${sel')).includes('selection'));
  });
});
