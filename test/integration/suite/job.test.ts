import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type CodeLens, commands, extensions, Range, type TextEditor, type Uri, window, workspace } from 'vscode';
import type { DocsAgentApi } from '../../../src/extension/api';
import type { Job } from '../../../src/extension/presentation/apiJob';
import { activatedApi, isOver, untilJob } from './support';

describe('a job in a real host', () => {
  it('is created by a command and can be followed to its pull request through the exports', async () => {
    const api = await activatedApi();
    const seen: Job[] = [];
    const subscription = api.onDidChangeJob((job) => seen.push(job));
    const prompt = 'Document the integration';
    const made = await commands.executeCommand<Job>('docsAgent.createJob', { prompt });
    const ended = await untilJob(api, made.key, isOver);
    subscription.dispose();
    const statuses = seen.filter(({ key }) => key === made.key).map(({ status }) => status);
    deepStrictEqual(
      statuses.filter((status, index) => status !== statuses[index - 1]),
      ['sending', 'active', 'completed'],
    );
    match(ended.prLink ?? '', /^http:\/\/127\.0\.0\.1:\d+\/review\//);
  });

  after(() => commands.executeCommand('docsAgent.stopLocalService'));
});

describe('the extension in a real host', () => {
  it('is installed and activates', async () => {
    const extension = extensions.getExtension('docs-agent.docs-agent-jobs');
    await extension?.activate();
    strictEqual(extension?.isActive, true);
  });

  it('has an open workspace folder', () => {
    strictEqual(workspace.workspaceFolders?.length, 1);
  });

  it('registers every command of its manifest', async () => {
    const { contributes } = extensions.getExtension('docs-agent.docs-agent-jobs')!.packageJSON as {
      contributes: { commands: { command: string }[] };
    };
    const registered = new Set(await commands.getCommands(true));
    deepStrictEqual(
      contributes.commands.map(({ command }) => command).filter((command) => !registered.has(command)),
      [],
    );
  });
});

const MIB = 1024 * 1024;

describe('before a prompt is sent to the local service', () => {
  let api: DocsAgentApi;

  before(async () => {
    api = await activatedApi();
  });
  after(async () => {
    await replace('');
    await window.activeTextEditor?.document.save();
    await commands.executeCommand('workbench.action.closeAllEditors');
    await commands.executeCommand('docsAgent.stopLocalService');
  });

  function editor(): TextEditor {
    const { activeTextEditor } = window;
    ok(activeTextEditor?.document.languageId === 'docs-agent-prompt');
    return activeTextEditor;
  }

  async function replace(text: string): Promise<void> {
    const { document } = editor();
    await editor().edit((edit) => edit.replace(new Range(0, 0, document.lineCount, 0), text));
  }

  async function lenses(uri: Uri): Promise<string[]> {
    const found = await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', uri, 10);
    return found.map(({ command }) => command?.title ?? '');
  }

  it('the API rejects a prompt that is too long and keeps nothing', async () => {
    const before = api.jobs.length;
    await rejects(api.createJob('x'.repeat(MIB)), /13 bytes over the local service’s limit of 1,048,576 bytes/);
    strictEqual(api.jobs.length, before);
  });

  it('the composer shows by how much a prompt is too long and keeps the text', async () => {
    const before = api.jobs.length;
    await commands.executeCommand('docsAgent.composePrompt');
    await replace('x'.repeat(MIB));
    match((await lenses(editor().document.uri)).join('\n'), /13 bytes over the limit/);
    strictEqual(await commands.executeCommand('docsAgent.sendComposed'), undefined);
    strictEqual(api.jobs.length, before);
    strictEqual(editor().document.getText().length, MIB);
  });

  it('the preview shows the address, the size, and the text, with invisible characters as code points', async () => {
    await replace('Explain “it”\n');
    const { document, viewColumn } = editor();
    await commands.executeCommand('docsAgent.previewPrompt');
    const shown = workspace.textDocuments.find(({ uri }) => uri.scheme === 'docs-agent-preview');
    ok(shown !== undefined);
    const size = (prompt: string): string => `${Buffer.byteLength(JSON.stringify({ prompt }))} bytes to `;
    match(shown.getText(), /^POST http:\/\/127\.0\.0\.1:\d+\/v2\/agent\/[\w-]+\/job\n/);
    ok(shown.getText().includes(size('Explain “it”')));
    match(shown.getText(), /local service.*\n\nExplain “it”\n$/);
    await window.showTextDocument(document, viewColumn);
    await replace('Explain it\u200b\u{e0041}');
    // A preview updates after a short delay.
    for (let tries = 0; tries < 200 && shown.getText().includes('“'); tries++) {
      await delay(25);
    }
    match(shown.getText(), /\n2 invisible characters are shown as ⟨U\+…⟩\.\n\nExplain it⟨U\+200B⟩⟨U\+E0041⟩\n$/);
    ok(shown.getText().includes(size('Explain it\u200b\u{e0041}')));
  });
});
