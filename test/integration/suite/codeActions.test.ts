import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import {
  type CodeAction,
  type Command,
  Diagnostic,
  DiagnosticSeverity,
  DocumentSymbol,
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
import { activatedApi, clearPrompts } from './support';

/** How often a request that the editor canceled is repeated. */
const MAX_TRIES = 50;

const COMPOSER = 'docs-agent-prompt';

/** Symbols for a test language: each line that begins with “def” starts a function. */
function symbolsOf(document: TextDocument): DocumentSymbol[] {
  return [...document.getText().matchAll(/^def (\w+)/gm)].map(({ index, 1: name = '' }) => {
    const start = document.positionAt(index);
    const named = new Range(start.translate(0, 4), start.translate(0, 4 + name.length));
    return new DocumentSymbol(name, '', SymbolKind.Function, new Range(start, start.translate(2, 0)), named);
  });
}

const SOURCE = [
  '# what this is',
  'def send(text)',
  '  return text',
  '',
  '# TODO say how often',
  'def retry()',
  '  x',
].join('\n');

describe('the code actions', () => {
  const owned: { dispose: () => unknown }[] = [];
  let document: TextDocument;

  before(async () => {
    await activatedApi();
    owned.push(languages.registerDocumentSymbolProvider({ language: 'ruby' }, { provideDocumentSymbols: symbolsOf }));
    document = await workspace.openTextDocument({ language: 'ruby', content: SOURCE });
    await window.showTextDocument(document);
  });
  after(() => owned.forEach((each) => void each.dispose()));

  /** Returns the extension's actions at a place. */
  async function actionsAt(range: Range, kind?: string): Promise<CodeAction[]> {
    const ask = (): Thenable<(CodeAction | Command)[]> =>
      commands.executeCommand('vscode.executeCodeActionProvider', document.uri, range, kind);
    // The editor cancels a request when the document's data changes in the meantime.
    for (let tries = 1; ; tries++) {
      try {
        return ours(await ask());
      } catch (error) {
        if (tries === MAX_TRIES || !/\bcancell?ed\b/i.test(String(error))) {
          throw error;
        }
      }
    }
  }

  function ours(all: readonly (CodeAction | Command)[]): CodeAction[] {
    return all
      .filter((each): each is CodeAction => typeof each.command === 'object')
      .filter(({ command }) => command?.command.startsWith('docsAgent.'));
  }

  /** Sets the cursor or the selection in the editor. */
  async function select(...at: [number, number, number, number]): Promise<void> {
    (await window.showTextDocument(document)).selection = new Selection(...at);
  }

  const titlesAt = async (...at: [number, number, number, number]): Promise<string[]> =>
    (await actionsAt(new Range(...at))).map(({ title }) => title);

  /** Runs an action and returns the text of the prompt that it started. */
  async function promptOf(command: string, ...args: unknown[]): Promise<string> {
    await commands.executeCommand('workbench.action.closeEditorsInOtherGroups');
    await commands.executeCommand(command, ...args);
    const prompt = window.activeTextEditor?.document;
    strictEqual(prompt?.languageId, COMPOSER);
    const text = prompt.getText();
    const edit = window.activeTextEditor;
    await edit?.edit((change) => change.delete(new Range(0, 0, prompt.lineCount, 0)));
    await prompt.save();
    await commands.executeCommand('workbench.action.closeActiveEditor');
    await window.showTextDocument(document);
    return text;
  }

  function promptOfAction(action: CodeAction | undefined): Promise<string> {
    const args: unknown[] = action?.command?.arguments ?? [];
    return promptOf(action?.command?.command ?? '', ...args);
  }

  it('are offered on the name of a symbol and nowhere else', async () => {
    deepStrictEqual(await titlesAt(1, 6, 1, 6), ['Document “send” with Docs Agent', 'Update docs with Docs Agent']);
    deepStrictEqual(await titlesAt(1, 1, 1, 1), []);
    deepStrictEqual(await titlesAt(2, 4, 2, 4), []);
    deepStrictEqual(await titlesAt(3, 0, 3, 0), []);
  });

  it('are offered on a line with a TODO', async () => {
    deepStrictEqual(await titlesAt(4, 3, 4, 3), ['Act on this comment with Docs Agent']);
    deepStrictEqual(await titlesAt(0, 3, 0, 3), []);
  });

  it('are refactorings and not quick fixes for a problem', async () => {
    const problems = languages.createDiagnosticCollection('test');
    owned.push(problems);
    problems.set(document.uri, [
      new Diagnostic(new Range(6, 2, 6, 3), 'x is not documented', DiagnosticSeverity.Warning),
    ]);
    const [action] = await actionsAt(new Range(6, 2, 6, 2));
    strictEqual(action?.title, 'Send this problem to Docs Agent');
    strictEqual(action.kind?.value, 'refactor.docsAgent.problem');
    strictEqual(action.isPreferred, undefined);
    deepStrictEqual(await actionsAt(new Range(6, 2, 6, 2), 'quickfix'), []);
    strictEqual((await actionsAt(new Range(6, 2, 6, 2), 'refactor')).length, 1);
    const text = await promptOfAction(action);
    match(text, /^Investigate the 1 problem in `.+`\. If/);
    match(text, /Line 7: warning: x is not documented/);
  });

  it('start a prompt with an instruction and the location', async () => {
    const [symbol] = await actionsAt(new Range(1, 6, 1, 6));
    const text = await promptOfAction(symbol);
    match(text, /^Document the function `send` from `.+`, lines 2-3: what it is for/);
    match(text, /```ruby\ndef send\(text\)\n {2}return text\n```/);
    const [comment] = await actionsAt(new Range(4, 3, 4, 3));
    const asked = await promptOfAction(comment);
    match(asked, /^Write the documentation that the comment in `.+`, line 5 asks for/);
    match(asked, /# TODO say how often\ndef retry\(\)/);
  });

  it('work as commands on the cursor and the selection, without a location in the argument', async () => {
    await select(5, 5, 5, 5);
    match(await promptOf('docsAgent.document', { what: 'symbol' }), /^Document the function `retry`/);
    await select(1, 0, 2, 13);
    match(
      await promptOf('docsAgent.document', { what: 'update' }),
      /^Update the documentation .+ \(from `.+`, lines 2-3\)\./,
    );
    await select(1, 0, 2, 13);
    match(await promptOf('docsAgent.document', { what: 'update', uri: document.uri.toString() }), /lines 2-3/);
  });
});

describe('the command for a documentation page', () => {
  it('starts a prompt that names its path and title', async () => {
    const page = Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'docs', 'getting-started.md');
    await window.showTextDocument(page);
    await commands.executeCommand('docsAgent.document', page);
    strictEqual(window.activeTextEditor?.document.languageId, COMPOSER);
    match(
      window.activeTextEditor.document.getText(),
      /^Update the documentation page `docs\/getting-started.md` \(titled `.+`\) to match the code\.\n$/,
    );
    await clearPrompts();
  });
});
