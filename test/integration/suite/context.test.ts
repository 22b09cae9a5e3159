import { match, ok, strictEqual } from 'node:assert/strict';
import { appendFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  type CompletionItem,
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  DocumentSymbol,
  Position,
  Range,
  Selection,
  SymbolKind,
  Uri,
  type TextEditor,
  commands,
  languages,
  window,
  workspace,
} from 'vscode';
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

  it('is suggested after a # and replaces the word', async () => {
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
    match(promptText(), /^See\s+File `context\/guide\.md`:[^]*\n```\n\n first\.\n\nLast\./);
  });
});

function range(from: number, to: number): Range {
  return new Range(from, 0, to, 3);
}
