import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CodeLens,
  commands,
  ConfigurationTarget,
  type QuickPickItem,
  Range,
  Selection,
  type TextDocument,
  type TextEditor,
  Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import type { DocsAgentApi } from '../../../src/extension/api';
import type { Job } from '../../../src/extension/presentation/apiJob';
import { activatedApi, extensionVscode } from './support';

const SCHEME = 'docs-agent-prompt';

describe('the composer, while the user is working in it', () => {
  let api: DocsAgentApi;

  before(async () => {
    // In a browser the editor would save typed text automatically.
    await workspace.getConfiguration('files').update('autoSave', 'off', true);
    api = await activatedApi();
  });
  beforeEach(clear);
  after(async () => {
    await clear();
    await commands.executeCommand('docsAgent.stopLocalService');
    await workspace.getConfiguration('files').update('autoSave', undefined, true);
  });

  function prompts(): TextDocument[] {
    return workspace.textDocuments.filter(({ uri }) => uri.scheme === SCHEME);
  }

  function prompt(): TextEditor {
    const { activeTextEditor } = window;
    ok(activeTextEditor?.document.uri.scheme === SCHEME, 'a prompt is active');
    return activeTextEditor;
  }

  async function clear(): Promise<void> {
    await compose();
    for (const document of prompts()) {
      await emptied(await window.showTextDocument(document, { preview: false }));
    }
    await commands.executeCommand('workbench.action.closeAllEditors');
  }

  async function emptied(editor: TextEditor): Promise<void> {
    const { document } = editor;
    await editor.edit((edit) => edit.delete(new Range(0, 0, document.lineCount, 0)));
    await document.save();
  }

  async function compose(text?: string): Promise<TextEditor> {
    await commands.executeCommand('docsAgent.composePrompt', text === undefined ? undefined : { text });
    return prompt();
  }

  /** Types keys until the work is done, as fast as the editor accepts them or with pauses; returns how many. */
  async function typeDuring(work: Promise<unknown>, pause = 0): Promise<number> {
    const state = { over: false };
    void work.finally(() => (state.over = true));
    let keys = 0;
    while (!state.over) {
      const inPrompt = isPrompt();
      if (inPrompt) {
        await commands.executeCommand('type', { text: 'ż' });
        keys++;
      }
      if (pause > 0 || !inPrompt) {
        await delay(Math.max(pause, 5));
      }
    }
    await work;
    return keys;
  }

  /** An edit that removes sent text may also insert a single letter, but it replaces the whole text. */
  const isKey = ({ text, rangeLength }: { text: string; rangeLength: number }): boolean =>
    text === 'ż' && rangeLength === 0;

  /** Counts the keys that prompts receive from now on: a key typed while the tab closes goes to another editor. */
  function countKeys(): () => number {
    let keys = 0;
    const listening = workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      keys += document.uri.scheme === SCHEME ? contentChanges.filter(isKey).length : 0;
    });
    return () => {
      listening.dispose();
      return keys;
    };
  }

  const isPrompt = (): boolean => window.activeTextEditor?.document.uri.scheme === SCHEME;

  const count = (text: string, part: string): number => text.split(part).length - 1;

  /** The address of a prompt that does not belong to the workspace's project. */
  function otherPrompt(title: string, target: object): Uri {
    return Uri.from({ scheme: SCHEME, path: `/${title}.md`, query: JSON.stringify(target) });
  }

  async function openOther(title: string, target: object, viewColumn = ViewColumn.Active): Promise<TextEditor> {
    const document = await workspace.openTextDocument(otherPrompt(title, target));
    return window.showTextDocument(document, { preview: false, viewColumn });
  }

  async function readme(selection = new Selection(0, 0, 1, 0), viewColumn = ViewColumn.Active): Promise<TextEditor> {
    const uri = Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'README.md');
    const editor = await window.showTextDocument(uri, { preview: false, viewColumn });
    editor.selection = selection;
    return editor;
  }

  /** Returns the messages that the extension reports during some work; none is shown. */
  async function told(
    kind: 'showErrorMessage' | 'showWarningMessage',
    work: () => Promise<unknown>,
  ): Promise<string[]> {
    const texts: string[] = [];
    const { window: theirs } = await extensionVscode();
    const before = theirs[kind];
    Object.assign(theirs, { [kind]: (text: string) => Promise.resolve(void texts.push(text)) });
    try {
      await work();
    } finally {
      Object.assign(theirs, { [kind]: before });
    }
    return texts;
  }

  it('puts each of several texts that arrive at the same time into its own prompt', async () => {
    const texts = ['one', 'two', 'three', 'four'].map((text) => `Text ${text}.`);
    await Promise.all(texts.map((text) => commands.executeCommand('docsAgent.composePrompt', { text })));
    const filled = prompts().map((document) => document.getText());
    deepStrictEqual(filled.filter((text) => text !== '').toSorted(), texts.toSorted());
  });

  it('adds nothing to an existing draft until the user has chosen where', async () => {
    const closeSaved = async (): Promise<void> => {
      await prompt().document.save();
      await commands.executeCommand('workbench.action.closeAllEditors');
    };
    await compose('Begun an hour ago');
    await closeSaved();
    const page = Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'docs', 'getting-started.md');
    const choose = async (row: RegExp | undefined): Promise<string> => {
      const { window: theirs } = await extensionVscode();
      const before = theirs.showQuickPick;
      const offered: string[] = [];
      Object.assign(theirs, {
        showQuickPick: async (given: readonly QuickPickItem[] | Thenable<readonly QuickPickItem[]>) => {
          const items = await given;
          offered.push(...items.map(({ label, description = '' }) => `${label} ${description}`));
          return row && items.find(({ label }) => row.test(label));
        },
      });
      try {
        await commands.executeCommand('docsAgent.document', page);
      } finally {
        Object.assign(theirs, { showQuickPick: before });
      }
      return offered.join('\n');
    };
    match(await choose(undefined), /Start a new prompt[^]*Add to the draft from .*\d\d.* Begun an hour ago/);
    ok(!isPrompt());
    await choose(/Start a new prompt/);
    match(prompt().document.getText(), /^Update the documentation page/);
    await closeSaved();
    await choose(/Add to the draft/);
    const added = prompt().document.getText();
    ok(added.includes('Update the documentation page'), added);
    await closeSaved();
    const { window: theirs } = await extensionVscode();
    const before = theirs.showQuickPick;
    const rows: string[] = [];
    Object.assign(theirs, {
      showQuickPick: async (given: Thenable<readonly QuickPickItem[]>) => {
        const items = await given;
        rows.push(...items.map(({ label }) => label));
        return items.find(({ label }) => label.includes('Begun an hour ago'));
      },
    });
    await Promise.resolve(commands.executeCommand('docsAgent.promptHistory', { drafts: true })).finally(() =>
      Object.assign(theirs, { showQuickPick: before }),
    );
    match(prompt().document.getText(), /^Begun an hour ago/);
    strictEqual(rows.length, 3);
    // Both contain text, and `clear` sees only open prompts.
    await emptied(prompt());
    await compose();
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
      await clear();
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

  it('is empty and closed after a send without further keystrokes', async () => {
    const { document } = await compose('Explain the quiet thing.');
    ok((await commands.executeCommand<Job | undefined>('docsAgent.sendComposed')) !== undefined);
    strictEqual(document.getText(), '');
    ok(!isPrompt());
    strictEqual((await compose()).document.getText(), '');
  });

  it('reports that the prompt was sent when only its text could not be removed', async () => {
    await compose('Explain the stubborn thing.');
    const document = prompt().document;
    await readme(undefined, ViewColumn.Active);
    const { workspace: theirs } = await extensionVscode();
    const { applyEdit } = theirs;
    Object.assign(theirs, { applyEdit: () => Promise.reject(new Error('no edits today')) });
    const texts = await told('showErrorMessage', async () => {
      const warned = await told('showWarningMessage', async () => {
        const sent = await commands.executeCommand<Job | undefined>('docsAgent.sendComposed', document.uri);
        ok(sent !== undefined, 'the job is there');
      }).finally(() => Object.assign(theirs, { applyEdit }));
      match(warned.join('\n'), /The prompt was sent, .*no edits today/);
    });
    deepStrictEqual(texts, []);
  });

  it('is not changed by the save actions of the editor while the cursor is in it', async () => {
    const files = workspace.getConfiguration('files');
    await files.update('trimTrailingWhitespace', true, ConfigurationTarget.Global);
    try {
      const { document } = await compose('hello');
      // A save that has already begun also trims what is typed before the editor gets to it, so wait for its end.
      await until(() => !document.isDirty, 'saved');
      await commands.executeCommand('type', { text: ' ' });
      // Longer than the delay after which a prompt is saved.
      await delay(1500);
      await commands.executeCommand('type', { text: 'world' });
      strictEqual(document.getText(), 'hello world');
      await until(() => !document.isDirty, 'saved, now that a save changes nothing');
      await commands.executeCommand('type', { text: ' ' });
      await readme();
      await until(() => !document.isDirty, 'saved when the cursor leaves');
    } finally {
      await files.update('trimTrailingWhitespace', undefined, ConfigurationTarget.Global);
    }
  });

  it('is read and written as UTF-8, whatever encoding the user prefers for files', async () => {
    const files = workspace.getConfiguration('files');
    const uri = otherPrompt('Encoded', { kind: 'new', service: 'local', projectId: 'encoded' });
    const text = '日本語のプロンプト – Größe';
    await workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    await files.update('encoding', 'shiftjis', ConfigurationTarget.Global);
    try {
      // As the editor does for a tab that is reopened.
      await commands.executeCommand('vscode.open', uri);
      const { document } = prompt();
      strictEqual(document.getText(), text);
      await commands.executeCommand('cursorBottom');
      await commands.executeCommand('type', { text: '!' });
      await document.save();
      strictEqual(new TextDecoder().decode(await workspace.fs.readFile(uri)), `${text}!`);
    } finally {
      await files.update('encoding', undefined, ConfigurationTarget.Global);
    }
  });

  it('inserts context where the cursor was last, not into the first visible prompt', async () => {
    const first = await openOther('First', { kind: 'new', service: 'local', projectId: 'first' }, ViewColumn.One);
    const second = await openOther('Second', { kind: 'new', service: 'local', projectId: 'second' }, ViewColumn.Two);
    await commands.executeCommand('type', { text: 'b' });
    await readme(undefined, ViewColumn.Three);
    await commands.executeCommand('docsAgent.addContext', { kind: 'selection' });
    strictEqual(first.document.getText(), '');
    match(second.document.getText(), /^b\n\nFrom `README\.md`/);
  });

  it('opens one document per target, regardless of the title it was opened with', async () => {
    const { query } = (await compose()).document.uri;
    await commands.executeCommand('workbench.action.closeAllEditors');
    await openOther('Another title', JSON.parse(query) as object);
    strictEqual((await compose()).document.uri.path, '/Another title.md');
  });

  it('sends the prompt whose address its code lens passes', async () => {
    const { document } = await compose('Explain the addressed thing.');
    const found = await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', document.uri, 10);
    const send = found.find(({ command }) => command?.command === 'docsAgent.sendComposed')?.command;
    ok(send !== undefined);
    const other = await openOther('Other', { kind: 'new', service: 'local', projectId: 'other' });
    await commands.executeCommand('type', { text: 'Not this' });
    const job = await commands.executeCommand<Job | undefined>(send.command, ...((send.arguments ?? []) as unknown[]));
    strictEqual(job?.title, 'Explain the addressed thing.');
    strictEqual(document.getText(), '');
    strictEqual(other.document.getText(), 'Not this');
  });

  it('keeps a follow-up to a job that was removed from the list, and says so', async () => {
    const { document } = await openOther('Gone', { kind: 'followUp', jobKey: 'gone' });
    await commands.executeCommand('type', { text: 'And then?' });
    const before = api.jobs.length;
    const texts = await told('showWarningMessage', async () => commands.executeCommand('docsAgent.sendComposed'));
    match(texts.join('\n'), /^This job is no longer in the list\. Copy the text/);
    strictEqual(document.getText(), 'And then?');
    strictEqual(api.jobs.length, before);
  });
});

async function until(fits: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 400 && !fits(); tries++) {
    await delay(25);
  }
  ok(fits(), what);
}
