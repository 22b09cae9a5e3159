import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import {
  type CodeAction,
  type CompletionList,
  ConfigurationTarget,
  type Diagnostic,
  DocumentSymbol,
  type Hover,
  type MarkdownString,
  Position,
  Range,
  Selection,
  SymbolKind,
  type TextDocument,
  Uri,
  commands,
  languages,
  window,
  workspace,
} from 'vscode';
import { activatedApi } from './support';

const run = (name: string, argument?: unknown): Thenable<unknown> =>
  commands.executeCommand(`docsAgent.${name}`, argument);

const place = (path: string): Uri => Uri.joinPath(workspace.workspaceFolders![0]!.uri, path);

async function write(path: string, text: string): Promise<TextDocument> {
  await workspace.fs.writeFile(place(path), new TextEncoder().encode(text));
  return workspace.openTextDocument(place(path));
}

/** Resolves with the problems of a document once there are as many. */
async function untilProblems(uri: Uri, count: number): Promise<Diagnostic[]> {
  const ours = (): Diagnostic[] => languages.getDiagnostics(uri).filter(({ source }) => source === 'Docs Agent');
  while (ours().length !== count) {
    await new Promise((resolve) => {
      const changed = languages.onDidChangeDiagnostics(() => {
        changed.dispose();
        resolve(undefined);
      });
    });
  }
  return ours();
}

const at = (document: TextDocument, text: string): Position =>
  document.positionAt(document.getText().indexOf(text) + text.length);

describe('prompt templates', () => {
  const folder = '.docs-agent/prompts';
  const setting = (): ReturnType<typeof workspace.getConfiguration> => workspace.getConfiguration('docsAgent');
  const insert = async (name: string): Promise<string> => {
    await run('insertTemplate', { name });
    const { document } = window.activeTextEditor!;
    strictEqual(document.uri.scheme, 'docs-agent-prompt');
    return document.getText().trimEnd();
  };
  const openSelected = async (): Promise<void> => {
    const editor = await window.showTextDocument(place('docs/page.md'));
    editor.selection = new Selection(2, 0, 2, 20);
  };
  /** Empties the prompt: its text would come back. */
  const clear = async (): Promise<void> => {
    const editor = window.activeTextEditor;
    if (editor?.document.uri.scheme === 'docs-agent-prompt') {
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

  it('of the user join those that are shipped, take their place, and hide them', async () => {
    const names = Object.entries(setting().get<Record<string, unknown>>('promptTemplates') ?? {});
    ok(names.some(([name, text]) => name === 'Document my changes' && Array.isArray(text)));
    deepStrictEqual(new Map(names).get('Write a how-to'), null);
    strictEqual(await insert('Update this page'), 'Shorter');
  });

  it('come into the prompt with their variables filled in, context on lines of its own', async () => {
    await openSelected();
    // Between heading and fence stands what else is known of the place.
    match(
      await insert('Mine'),
      /^About `docs\/page\.md`, \$\{selection\}:\n\nFrom `docs\/page\.md`, line 3:\n\n[^`]*```markdown\nRetries are `three`\.\n```\n\nNo more\.$/,
    );
  });

  it('name the branch and take the symbol under the cursor along', async () => {
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

  it('of a team are read from their files each time, also with a header that can’t be read', async () => {
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

  it('insert nothing where a variable stands for nothing', async () => {
    (await window.showTextDocument(place('docs/page.md'))).selection = new Selection(0, 0, 0, 0);
    await run('insertTemplate', { name: 'Mine' });
    strictEqual(window.activeTextEditor?.document.uri.path.endsWith('/docs/page.md'), true);
    await run('insertTemplate', { name: 'No such template' });
    strictEqual(window.activeTextEditor.document.uri.path.endsWith('/docs/page.md'), true);
  });

  describe('where they are written', () => {
    const complete = async (document: TextDocument, position: Position): Promise<CompletionList> =>
      commands.executeCommand('vscode.executeCompletionItemProvider', document.uri, position, '{');
    const labels = ({ items }: CompletionList): string[] =>
      items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    const hoverText = async (document: TextDocument, text: string): Promise<string> => {
      const hovers = await commands.executeCommand<Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        at(document, text),
      );
      return hovers
        .flatMap(({ contents }) => contents.map((each) => (each as MarkdownString).value))
        .join('\n')
        .replaceAll('&nbsp;', ' ');
    };
    const fix = async (document: TextDocument, problem: Diagnostic, title: RegExp): Promise<string> => {
      const actions = await commands.executeCommand<CodeAction[]>(
        'vscode.executeCodeActionProvider',
        document.uri,
        problem.range,
      );
      const action = actions.find((each) => title.test(each.title));
      ok(action?.edit !== undefined, actions.map((each) => each.title).join());
      await workspace.applyEdit(action.edit);
      return document.getText();
    };

    it('in a file: variables after the brace, what they stand for, and the keys of the header', async () => {
      const document = await write(`${folder}/help.md`, '---\nname: x\nd\n---\n${ \\${ ${relativeFile} \\\\${sel}\n');
      const offered = await complete(document, at(document, '---\n${'));
      deepStrictEqual(
        labels(offered).filter((label) => !label.startsWith('#')),
        ['selection', 'symbol', 'changes', 'file', 'relativeFile', 'branch', 'input', 'pick'],
      );
      const afterBackslash = await complete(document, at(document, '---\n${ \\${'));
      ok(!labels(afterBackslash).includes('symbol'));
      ok(labels(await complete(document, at(document, '${sel'))).includes('selection'));
      ok(labels(await complete(document, new Position(2, 1))).includes('description'));
      match(await hoverText(document, '${relati'), /path of the file in the editor/);
      strictEqual(await hoverText(document, '---\n$'), '');
    });

    it('in a file: problems with a fix, gone with the document', async () => {
      const text = '---\ntitel: x\n---\nOn ${relativfile} and ${HOME_OF_THE_USER} and ${pick:a}\n';
      await workspace.fs.writeFile(place(`${folder}/slips.md`), new TextEncoder().encode(text));
      // A document that a program opens stays open for minutes; one that an editor opens closes with it.
      await commands.executeCommand('vscode.open', place(`${folder}/slips.md`));
      const { document } = window.activeTextEditor!;
      const found = await untilProblems(document.uri, 5);
      deepStrictEqual(found.map(({ code }) => code).toSorted(), [
        'choices',
        'noName',
        'unknown',
        'unknown',
        'unknownKey',
      ]);
      const slip = found.find(({ message }) => message.includes('relativeFile'));
      ok(slip !== undefined);
      match(await fix(document, slip, /Change to “relativeFile”/), /On \$\{relativeFile\} and/);
      const [home] = (await untilProblems(document.uri, 4)).filter(({ code }) => code === 'unknown');
      ok(home !== undefined);
      match(await fix(document, home, /plain text/), /and \\\$\{HOME/);
      await untilProblems(document.uri, 3);
      await document.save();
      await commands.executeCommand('workbench.action.closeAllEditors');
      await untilProblems(document.uri, 0);
    });

    it('in settings: the same within the texts of the setting, and nowhere else', async () => {
      const json =
        '{\n  "x": "${sel}",\n  "docsAgent.promptTemplates": { "One": ["\\"Read\\" ${sel}", "${symbool} \\\\${x}"] }\n}\n';
      const document = await write('docs/settings.json', json);
      const [problem, ...others] = (await untilProblems(document.uri, 2)).toSorted((a, b) =>
        a.range.start.compareTo(b.range.start),
      );
      strictEqual(others.length, 1);
      strictEqual(problem && document.getText(problem.range), '${sel}');
      ok(labels(await complete(document, at(document, 'Read\\" ${'))).includes('symbol'));
      ok(!labels(await complete(document, at(document, '"x": "${'))).includes('symbol'));
      match(await fix(document, others[0]!, /Change to “symbol”/), /"\$\{symbol\} \\\\\$\{x\}"/);
      match(await hoverText(document, '"${sym'), /symbol under the cursor/);
      await workspace.fs.delete(document.uri);
    });
  });
});
