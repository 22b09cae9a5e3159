import { match, ok, strictEqual } from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  commands,
  type CompletionItem,
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  DocumentSymbol,
  languages,
  Position,
  Range,
  Selection,
  SymbolKind,
  type TextEditor,
  Uri,
  window,
  workspace,
} from 'vscode';
import { gitApi, openRepositories } from '../../../src/extension/platform/gitExtension';
import { createSampleRepository, git } from '../../support/temporaryRepository';
import { activatedApi, clearPrompts, isPromptActive } from './support';

const encoder = new TextEncoder();

/** Runs a command that adds to the prompt, and returns the text of the prompt. */
async function added(argument: unknown): Promise<string> {
  await commands.executeCommand('docsAgent.addContext', argument);
  return promptText();
}

function promptText(): string {
  return isPromptActive() ? (window.activeTextEditor?.document.getText() ?? '') : '';
}

describe('context from the editor', () => {
  const disposables: Disposable[] = [];
  let root: Uri;
  let outside: string;
  const at = (path: string): Uri => Uri.joinPath(root, 'context', path);
  const write = async (path: string, content: string | Uint8Array): Promise<Uri> => {
    await workspace.fs.writeFile(at(path), typeof content === 'string' ? encoder.encode(content) : content);
    return at(path);
  };
  const open = async (uri: Uri, selection = new Selection(0, 0, 0, 0)): Promise<TextEditor> => {
    const editor = await window.showTextDocument(uri, { preview: false });
    editor.selection = selection;
    return editor;
  };

  before(async () => {
    // In a browser the editor would save typed text automatically.
    await workspace.getConfiguration('files').update('autoSave', 'off', true);
    await activatedApi();
    root = workspace.workspaceFolders![0]!.uri;
    outside = await mkdtemp(join(tmpdir(), 'docs-agent-outside-'));
    await write('.gitignore', 'secret.env\nbuild/\n');
    await write('guide.md', '# Guide\n\nRequests are retried.\n');
    await write('secret.env', 'KEY=1\n');
    await write('logo.png', new Uint8Array([137, 80, 78, 71, 0, 0, 1]));
    await write('sub/deep.ts', 'export const deep = 1;\n');
    await write('build/out.js', 'built\n');
    await write('code.sample', 'class Client {\n  /** Sends it. */\n  send() {\n    post();\n  }\n}\n');
  });
  beforeEach(clearPrompts);
  after(async () => {
    await clearPrompts();
    await workspace.getConfiguration('files').update('autoSave', undefined, true);
    Disposable.from(...disposables).dispose();
    await workspace.fs.delete(at(''), { recursive: true });
    await rm(outside, { recursive: true });
  });

  it('includes the selections of all cursors, even when the prompt has the focus', async () => {
    const editor = await open(at('guide.md'));
    await editor.edit((edit) => edit.insert(new Position(2, 0), 'Not saved. '));
    editor.selections = [new Selection(2, 0, 2, 10), new Selection(0, 0, 0, 7)];
    await commands.executeCommand('docsAgent.composePrompt');
    ok(isPromptActive());
    const text = await added({ kind: 'selection' });
    strictEqual(
      text,
      [
        'From `context/guide.md`, line 1:\n\n```markdown\n# Guide\n```',
        'From `context/guide.md`, line 3:\n\n```markdown\nNot saved.\n```\n',
      ].join('\n\n'),
    );
    await window.showTextDocument(editor.document);
    await commands.executeCommand('workbench.action.files.revert');
  });

  it('includes a file by URI or path, rejects ignored and binary files, gives only the name of an outside file', async () => {
    const foreign = Uri.file(join(outside, 'notes.txt'));
    await workspace.fs.writeFile(foreign, encoder.encode('elsewhere\n'));
    strictEqual(await added([at('secret.env'), at('logo.png'), at('build/out.js')]), '');
    await window.showTextDocument(at('guide.md'));
    const text = await added({ paths: ['context/guide.md', 'context/secret.env', 'context/missing.md'] });
    strictEqual(text, 'File `context/guide.md`:\n\n```markdown\n# Guide\n\nRequests are retried.\n```\n');
    const more = await added(foreign);
    match(
      more,
      /File `notes\.txt`:\n\n- Not in the workspace: only the file’s name is included\.\n\n```txt\nelsewhere\n```/,
    );
    ok(!more.includes(outside), 'the path of the machine');
  });

  it('includes no text of an ignored page, or of a symbol in an ignored file', async () => {
    await write('build/page.md', '# Not for others\n\nInternal.\n');
    await open(at('build/page.md'), new Selection(2, 0, 2, 0));
    strictEqual(await added({ kind: 'page' }), '');
    await window.showTextDocument(at('build/page.md'));
    strictEqual(await added({ kind: 'symbol' }), '');
    await commands.executeCommand('docsAgent.document', { what: 'comment' });
    strictEqual(window.activeTextEditor?.document.uri.toString(), at('build/page.md').toString());
    await open(at('guide.md'));
    strictEqual(await added({ kind: 'page' }), 'Documentation page: `context/guide.md` (titled `Guide`)\n');
  });

  it('excludes files named only in .git/info/exclude, and links and paths that lead outside', async () => {
    await appendFile(join(root.fsPath, '.git', 'info', 'exclude'), '\nprivate.sample\n');
    await workspace.fs.writeFile(Uri.file(join(outside, 'key.txt')), encoder.encode('of the machine\n'));
    const own = await write('private.sample', 'kept to myself\n');
    await symlink(outside, at('linked').fsPath);
    await symlink('secret.env', at('alias.md').fsPath);
    try {
      strictEqual(await added([own, at('linked'), at('linked/key.txt'), at('alias.md')]), '');
      strictEqual(await added({ paths: [`../${basename(outside)}/key.txt`] }), '');
    } finally {
      await Promise.all(['linked', 'alias.md', 'private.sample'].map((name) => rm(at(name).fsPath)));
    }
  });

  it('includes the names of the files in a folder, without those that git ignores', async () => {
    const text = await added(at(''));
    strictEqual(
      text,
      'Folder `context` (5 files):\n\n```text\n.gitignore\ncode.sample\nguide.md\nlogo.png\nsub/deep.ts\n```\n',
    );
  });

  it('includes the symbol at the cursor, and nothing where there is no symbol', async () => {
    await open(at('code.sample'), new Selection(3, 4, 3, 4));
    strictEqual(await added({ kind: 'symbol' }), '');
    disposables.push(
      languages.registerDocumentSymbolProvider(
        { pattern: '**/*.sample' },
        {
          provideDocumentSymbols: () => {
            const outer = new DocumentSymbol('Client', '', SymbolKind.Class, range(0, 5), range(0, 0));
            outer.children = [new DocumentSymbol('send', '', SymbolKind.Method, range(2, 4), range(2, 2))];
            return [outer];
          },
        },
      ),
    );
    const text = await added({ kind: 'symbol' });
    match(text, /^Method `Client\.send` from `context\/code\.sample`, lines 3-5:/);
    match(text, /```plaintext\n {2}send\(\) \{\n {4}post\(\);\n {2}\}\n```\n$/);
  });

  it('includes the problems of the selection, the file or all files, with the surrounding code', async () => {
    const found = languages.createDiagnosticCollection('test');
    disposables.push(found);
    const one = new Diagnostic(new Range(2, 0, 2, 8), 'Say how often.', DiagnosticSeverity.Warning);
    Object.assign(one, { source: 'vale', code: 'Style.Vague' });
    found.set(at('guide.md'), [one, new Diagnostic(new Range(0, 0, 0, 7), 'No title case.', DiagnosticSeverity.Hint)]);
    found.set(at('sub/deep.ts'), [new Diagnostic(new Range(0, 0, 0, 6), 'Wrong.', DiagnosticSeverity.Error)]);
    await open(at('guide.md'), new Selection(2, 0, 2, 5));
    const text = await added({ scope: 'selection' });
    strictEqual(
      text,
      '1 problem in `context/guide.md`:\n\n```text\nLine 3: warning (vale Style.Vague): Say how often.\n  1 | # Guide\n  2 |\n> 3 | Requests are retried.\n  4 |\n```\n',
    );
    match(await added({ scope: 'file', uri: at('guide.md') }), /2 problems in `context\/guide\.md`/);
    match(
      await added({ scope: 'workspace' }),
      /1 problem in `context\/sub\/deep\.ts`[^]*2 problems in `context\/guide\.md`/,
    );
  });

  it('shows the problems of ignored and outside files without code or local paths', async () => {
    const found = languages.createDiagnosticCollection('hidden');
    disposables.push(found);
    const foreign = Uri.file(join(outside, 'other.sample'));
    await workspace.fs.writeFile(foreign, encoder.encode('elsewhere\n'));
    const first = new Range(0, 0, 0, 1);
    found.set(at('secret.env'), [new Diagnostic(first, `No quotes in ${at('secret.env').fsPath}.`)]);
    found.set(foreign, [new Diagnostic(first, 'Wrong there.')]);
    strictEqual(
      await added({ scope: 'file', uri: at('secret.env') }),
      '1 problem in `context/secret.env`:\n\n- The code is not shown: ignored by git.\n\n```text\nLine 1: error: No quotes in context/secret.env.\n```\n',
    );
    const text = await added({ scope: 'file', uri: foreign });
    match(text, /The code is not shown: not in the workspace\.\n\n```text\nLine 1: error: Wrong there\.\n```/);
    ok(!text.includes('elsewhere') && !text.includes('KEY=1'));
  });

  it('is suggested after a #; a mention replaces the word, and the text goes to the end', async () => {
    await commands.executeCommand('docsAgent.composePrompt', { text: 'See #guide' });
    const editor = window.activeTextEditor!;
    const list = await commands.executeCommand<{ items: CompletionItem[] }>(
      'vscode.executeCompletionItemProvider',
      editor.document.uri,
      new Position(0, 10),
      '#',
    );
    const labels = list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
    ok(['#file', '#changes', '#template'].every((name) => labels.includes(name)));
    ok(!labels.includes('#secret.env'));
    const item = list.items[labels.indexOf('#guide.md')]!;
    strictEqual(item.insertText, '#guide');
    await editor.edit((edit) => edit.insert(editor.document.lineAt(0).range.end, ' first.\n\nLast.'));
    const argument = item.command?.arguments?.[0] as object;
    await commands.executeCommand('docsAgent.addContext', { ...argument, paths: ['context/missing.md'] });
    match(promptText(), /^See #guide first\./);
    await commands.executeCommand('docsAgent.addContext', argument);
    await commands.executeCommand('type', { text: ' closely,' });
    match(
      promptText(),
      /^See `context\/guide\.md` closely, first\.\n\nLast\.\n\nFile `context\/guide\.md`:\n\n```markdown\n[^`]*\n```\n$/,
    );
  });
});

function range(from: number, to: number): Range {
  return new Range(from, 0, to, 3);
}

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
    await write(`${FOLDER}/Plain.md`, 'Plain');
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

  it('are inserted above context that is there, below instructions that are there', async () => {
    await commands.executeCommand('docsAgent.composePrompt', { text: 'First this.' });
    await openPage(new Selection(2, 0, 2, 7));
    await commands.executeCommand('docsAgent.addContext', { kind: 'selection' });
    match(
      await insert('Asking'),
      /^First this\.\n\nFor Who\?, again Who\?: How\?\.\n\nFrom `docs\/page\.md`, line 3:\n[^`]*```markdown\nRetries\n```$/,
    );
  });

  it('leave one blank line, with the cursor, above context that is below the cursor', async () => {
    await commands.executeCommand('docsAgent.composePrompt', { text: 'First this.' });
    await openPage(new Selection(2, 0, 2, 7));
    await commands.executeCommand('docsAgent.addContext', { kind: 'selection' });
    const editor = window.activeTextEditor!;
    await editor.edit((edit) => edit.insert(new Position(1, 0), '\n\n'));
    editor.selection = new Selection(2, 0, 2, 0);
    match(await insert('Plain'), /^First this\.\n\nPlain\n\nFrom `docs/);
    strictEqual(editor.selection.active.line, 3);
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
