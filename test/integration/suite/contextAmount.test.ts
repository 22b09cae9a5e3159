import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type CompletionItem, Position, commands, window, workspace } from 'vscode';
import { activatedApi, clearPrompts } from './support';

describe('context that exceeds what a prompt can hold', () => {
  let root: string;

  before(async () => {
    await activatedApi();
    await clearPrompts();
    root = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    await mkdir(join(root, 'amount', 'ignored'), { recursive: true });
    await writeFile(join(root, 'amount', '.gitignore'), 'ignored\n');
    const files = Array.from({ length: 300 }, (_, index) => join(root, 'amount', 'ignored', `amount${index}.md`));
    const own = Array.from({ length: 203 }, (_, index) => join(root, 'amount', `part${index}.md`));
    await Promise.all([...files, ...own].map((file) => writeFile(file, 'Text\n')));
    await Promise.all([1, 2, 3].map((index) => writeFile(join(root, 'amount', `amount-own${index}.md`), 'Text\n')));
  });
  after(() => rm(join(root, 'amount'), { recursive: true }));
  afterEach(clearPrompts);

  it('offers every file that git does not ignore, however many are ignored', async () => {
    await commands.executeCommand('docsAgent.composePrompt', { text: 'See #amount' });
    const document = window.activeTextEditor?.document;
    ok(document !== undefined);
    let offered: string[] = [];
    // A file list from before the files were written may be cached for some seconds.
    for (const end = Date.now() + 20_000; offered.length === 0 && Date.now() < end;) {
      const list = await commands.executeCommand<{ items: CompletionItem[] }>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        new Position(0, 11),
        '#',
      );
      const labels = list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
      offered = labels.filter((label) => label.startsWith('#amount')).toSorted();
      await setTimeout(500);
    }
    deepStrictEqual(offered, ['#amount-own1.md', '#amount-own2.md', '#amount-own3.md']);
  });

  it('adds the first 200 files and leaves out the rest', async () => {
    const paths = Array.from({ length: 203 }, (_, index) => `amount/part${index}.md`);
    await commands.executeCommand('docsAgent.addContext', { paths });
    const prompt = window.activeTextEditor?.document.getText() ?? '';
    match(prompt, /File `amount\/part199\.md`:/);
    ok(!prompt.includes('part200.md'));
  });
});
