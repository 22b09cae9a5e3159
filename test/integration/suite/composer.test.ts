import { match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  commands,
  ConfigurationTarget,
  type QuickPickItem,
  Selection,
  type TextEditor,
  Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import type { DocsAgentApi } from '../../../src/extension/api';
import type { Job } from '../../../src/extension/presentation/apiJob';
import { activatedApi, clearPrompts, extensionVscode, isPromptActive } from './support';

describe('the composer, while the user is working in it', () => {
  let api: DocsAgentApi;
  let drafts: string;

  before(async () => {
    api = await activatedApi();
  });
  beforeEach(async () => {
    drafts = await clearPrompts();
  });
  after(async () => {
    await clearPrompts();
    await commands.executeCommand('docsAgent.stopLocalService');
  });

  function prompt(): TextEditor {
    const { activeTextEditor } = window;
    ok(activeTextEditor !== undefined && isPromptActive(), 'a prompt is active');
    return activeTextEditor;
  }

  /** Opens a prompt with this text, otherwise the newest draft, or an empty prompt if there is none. */
  async function compose(text?: string): Promise<TextEditor> {
    const showQuickPick = async (items: readonly QuickPickItem[]): Promise<QuickPickItem | undefined> => items[1];
    await withFake('window', { showQuickPick }, () =>
      commands.executeCommand('docsAgent.composePrompt', text === undefined ? undefined : { text }),
    );
    return prompt();
  }

  /** The texts of all drafts on disk. */
  async function saved(): Promise<string[]> {
    const names = (await readdir(drafts, { recursive: true })).filter((name) => name.endsWith('.md'));
    return (await Promise.all(names.map((name) => readFile(join(drafts, name), 'utf8')))).toSorted();
  }

  /** Opens another prompt, for a target that no command has chosen. */
  async function openOther(folder: string, viewColumn = ViewColumn.Active): Promise<TextEditor> {
    await mkdir(join(drafts, folder), { recursive: true });
    const path = join(drafts, folder, 'Other.md');
    await writeFile(path, '');
    return window.showTextDocument(Uri.file(path), { preview: false, viewColumn });
  }

  async function readme(selection = new Selection(0, 0, 1, 0), viewColumn = ViewColumn.Active): Promise<TextEditor> {
    const uri = Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'README.md');
    const editor = await window.showTextDocument(uri, { preview: false, viewColumn });
    editor.selection = selection;
    return editor;
  }

  const type = (text: string): Thenable<unknown> => commands.executeCommand('type', { text });

  /** Types keys until the work is done, as fast as the editor accepts them or with pauses; returns how many. */
  async function typeDuring(work: Promise<unknown>, pause = 0): Promise<number> {
    const state = { over: false };
    void work.finally(() => (state.over = true));
    let keys = 0;
    while (!state.over) {
      const inPrompt = isPromptActive();
      if (inPrompt) {
        await type('ż');
        keys++;
      }
      if (pause > 0 || !inPrompt) {
        await delay(Math.max(pause, 5));
      }
    }
    await work;
    return keys;
  }

  /** Counts the keys that prompts receive from now on: a key typed while the tab closes goes to another editor. */
  function countKeys(): () => number {
    let keys = 0;
    const listening = workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const isPrompt = document.languageId === 'docs-agent-prompt';
      keys += contentChanges.filter(({ text, rangeLength }) => isPrompt && text === 'ż' && rangeLength === 0).length;
    });
    return () => {
      listening.dispose();
      return keys;
    };
  }

  const count = (text: string, part: string): number => text.split(part).length - 1;

  /** Replaces functions of the editor for some work. */
  async function withFake(
    part: 'window' | 'workspace',
    fakes: object,
    work: () => PromiseLike<unknown>,
  ): Promise<void> {
    const theirs = (await extensionVscode())[part] as unknown as Record<string, unknown>;
    const before = Object.fromEntries(Object.keys(fakes).map((name) => [name, theirs[name]]));
    Object.assign(theirs, fakes);
    try {
      await work();
    } finally {
      Object.assign(theirs, before);
    }
  }

  it('adds nothing to an existing draft until the user has chosen where, and opens any draft again', async () => {
    await compose('Begun an hour ago');
    await commands.executeCommand('workbench.action.closeAllEditors');
    const page = Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'docs', 'getting-started.md');
    const choose = async (row: RegExp | undefined): Promise<string> => {
      const offered: string[] = [];
      const showQuickPick = async (items: readonly QuickPickItem[]): Promise<QuickPickItem | undefined> => {
        offered.push(...items.map(({ label, description = '' }) => `${label} ${description}`));
        return row && items.find(({ label }) => row.test(label));
      };
      await withFake('window', { showQuickPick }, () => commands.executeCommand('docsAgent.document', page));
      return offered.join('\n');
    };
    match(await choose(undefined), /Start a new prompt[^]*Add to the draft from .*\d\d.* Begun an hour ago/);
    ok(!isPromptActive());
    await choose(/Start a new prompt/);
    match(prompt().document.getText(), /^Update the documentation page/);
    await commands.executeCommand('workbench.action.closeAllEditors');
    await choose(/Add to the draft/);
    match(prompt().document.getText(), /Update the documentation page/);
    await commands.executeCommand('workbench.action.closeAllEditors');
    let texts: string[] = [];
    // The editor empties a file before it writes it.
    await until(async () => (texts = await saved()).every((text) => text !== ''), 'saved');
    strictEqual(texts.length, 2);
    // Given the same text again, the composer opens the draft that has it.
    strictEqual((await compose(texts[0])).document.getText(), texts[0]);
    strictEqual((await saved()).length, 2);
  });

  it('loses no context and no keystroke while the user types as fast as possible', async () => {
    await readme();
    await compose();
    const add = async (): Promise<void> => {
      for (let times = 0; times < 8; times++) {
        await commands.executeCommand('docsAgent.addContext', { kind: 'selection' });
      }
    };
    const keys = await typeDuring(add());
    const text = prompt().document.getText();
    strictEqual(count(text, 'From `README.md`'), 8);
    strictEqual(count(text, 'ż'), keys);
  });

  it('keeps each keystroke during a send, and nothing of the text that was sent', async () => {
    for (const name of ['first', 'second']) {
      await clearPrompts();
      await compose(`The ${name}:`);
      const keys = countKeys();
      const sent = Promise.resolve(commands.executeCommand<Job | undefined>('docsAgent.sendComposed'));
      await typeDuring(sent, 20);
      const title = (await sent)?.title ?? '';
      const left = (await compose()).document.getText();
      ok(title.startsWith(`The ${name}:`), title);
      strictEqual(count(left, `The ${name}:`), 0);
      strictEqual(count(title, 'ż') + count(left, 'ż'), keys());
    }
  });

  it('reports that the prompt was sent when only its text could not be removed', async () => {
    const { document } = await compose('Explain the stubborn thing.');
    await readme(undefined, ViewColumn.Active);
    const told: string[] = [];
    const tell = (text: string): Promise<void> => Promise.resolve(void told.push(text));
    const applyEdit = (): Promise<never> => Promise.reject(new Error('no edits today'));
    await withFake('workspace', { applyEdit }, () =>
      withFake('window', { showErrorMessage: tell, showWarningMessage: tell }, async () =>
        ok((await commands.executeCommand('docsAgent.sendComposed', document.uri)) !== undefined, 'the job is there'),
      ),
    );
    match(told.join('\n'), /^The prompt was sent, .*no edits today/);
  });

  it('is saved as it is typed, in UTF-8, whatever the user prefers for files', async () => {
    const wanted = { autoSave: 'off', encoding: 'shiftjis', trimTrailingWhitespace: true, insertFinalNewline: true };
    const set = async (on: boolean): Promise<void> => {
      for (const [name, value] of Object.entries(wanted)) {
        const files = workspace.getConfiguration('files');
        await files.update(name, on ? value : undefined, ConfigurationTarget.Global);
      }
    };
    await set(true);
    try {
      const { document } = await compose('日本語のプロンプト – Größe');
      await type(' ');
      await until(async () => (await saved())[0] === '日本語のプロンプト – Größe ', 'saved while typing');
      await type('!');
      await commands.executeCommand('workbench.action.closeActiveEditor');
      await until(() => document.isClosed || !isPromptActive(), 'closed without a question');
      strictEqual((await compose()).document.getText(), '日本語のプロンプト – Größe !');
    } finally {
      await set(false);
    }
  });

  it('inserts context where the cursor was last, not into the first visible prompt', async () => {
    const first = await openOther('local/first', ViewColumn.One);
    const second = await openOther('local/second', ViewColumn.Two);
    await type('b');
    await readme(undefined, ViewColumn.Three);
    await commands.executeCommand('docsAgent.addContext', { kind: 'selection' });
    strictEqual(first.document.getText(), '');
    match(second.document.getText(), /^b\n\nFrom `README\.md`/);
  });

  it('keeps a follow-up to a job that was removed from the list, and says so', async () => {
    const { document } = await openOther('job/gone');
    await type('And then?');
    const before = api.jobs.length;
    const told: string[] = [];
    const showWarningMessage = (text: string): Promise<void> => Promise.resolve(void told.push(text));
    await withFake('window', { showWarningMessage }, () => commands.executeCommand('docsAgent.sendComposed'));
    match(told.join('\n'), /^This job is no longer in the list\. Copy the text/);
    strictEqual(document.getText(), 'And then?');
    strictEqual(api.jobs.length, before);
  });
});

async function until(fits: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 400 && !(await fits()); tries++) {
    await delay(25);
  }
  ok(await fits(), what);
}
