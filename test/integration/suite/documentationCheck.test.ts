import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CodeAction,
  CodeActionKind,
  type Command,
  commands,
  type Diagnostic,
  languages,
  TabInputTextDiff,
  type TextEditor,
  Uri,
  window,
  workspace,
} from 'vscode';
import { gitApi, openRepositories } from '../../../src/extension/platform/gitExtension';
import { OUTDATED_PAGE, OUTDATED_TEXT, outdateDocs } from '../../support/checkedRepositories';
import { git } from '../../support/temporaryRepository';
import { activatedApi, extensionVscode } from './support';

const SOURCE = 'Docs Agent';
const SETTINGS = '.docs-agent/checks.json';

describe('the documentation check', function () {
  let folder: string;
  let page: Uri;
  let start: string;

  before(async () => {
    await activatedApi();
    folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    page = Uri.file(join(folder, OUTDATED_PAGE));
    // In a browser the editor would save typed text automatically.
    await workspace.getConfiguration('files').update('autoSave', 'off', true);
    const api = await gitApi();
    ok(api !== undefined && (await openRepositories(api)).length > 0, 'the Git extension has found the repository');
    start = (await git(folder, 'rev-parse', 'HEAD')).trim();
    await outdateDocs(folder);
  });
  afterEach(async () => {
    await commands.executeCommand('workbench.action.closeAllEditors');
    await git(folder, 'checkout', '--quiet', '--force', 'HEAD');
    await git(folder, 'clean', '-qfd');
  });
  after(async () => {
    await git(folder, 'reset', '--quiet', '--hard', start);
    await workspace.getConfiguration('files').update('autoSave', undefined, true);
  });

  const check = (): Thenable<void> => commands.executeCommand('docsAgent.checkDocumentation');

  const findings = (): Diagnostic[] => languages.getDiagnostics(page).filter(({ source }) => source === SOURCE);

  const lines = (): number[] => findings().map(({ range }) => range.start.line + 1);

  async function untilLines(...expected: number[]): Promise<void> {
    while (String(lines()) !== String(expected)) {
      await delay(20);
    }
  }

  async function openPage(): Promise<TextEditor> {
    return window.showTextDocument(page, { preview: false });
  }

  /** The quick fixes at the first finding, by title. */
  async function fixes(): Promise<Map<string, Command>> {
    await openPage();
    const range = findings()[0]!.range;
    const kind = CodeActionKind.QuickFix.value;
    const all = await commands.executeCommand<CodeAction[]>('vscode.executeCodeActionProvider', page, range, kind);
    const ours = all.flatMap(({ title, command }) =>
      command?.command.startsWith('docsAgent.') ? [{ title, command }] : [],
    );
    return new Map(ours.map(({ title, command }) => [title, command]));
  }

  async function run(fix: Command | undefined): Promise<void> {
    const [argument] = (fix?.arguments ?? []) as unknown[];
    await commands.executeCommand(fix?.command ?? '', argument);
  }

  /** Runs the fix that ignores a name and answers the question for the reason. Returns the errors that were shown. */
  async function ignore(name: string, reason: string): Promise<string[]> {
    const { window: theirs } = await extensionVscode();
    const { showInputBox, showErrorMessage } = theirs;
    const told: string[] = [];
    Object.assign(theirs, {
      showInputBox: async () => reason,
      showErrorMessage: async (text: string) => void told.push(text),
    });
    try {
      await run((await fixes()).get(`Ignore “${name}”…`));
    } finally {
      Object.assign(theirs, { showInputBox, showErrorMessage });
    }
    return told;
  }

  it('keeps a finding at its name while the page is edited, and removes it with the name', async () => {
    await check();
    const editor = await openPage();
    await editor.edit((edit) => {
      edit.insert(editor.document.positionAt(0), 'A new line\n');
      edit.insert(findings()[0]!.range.start.with({ character: 0 }), 'Do this: ');
    });
    await untilLines(4, 6);
    deepStrictEqual(
      findings().map(({ range }) => editor.document.getText(range)),
      ['attempts', 'attempts'],
    );
    await editor.edit((edit) => edit.replace(findings()[0]!.range, 'maxAttempts'));
    await untilLines(6);
    await editor.edit((edit) => edit.insert(findings()[0]!.range.end, 'Total'));
    await untilLines();
    await commands.executeCommand('workbench.action.files.revert');
  });

  it('follows a page that is changed outside of an editor, and finds names on a page with uncommitted changes', async () => {
    await writeFile(join(folder, OUTDATED_PAGE), `An uncommitted line\n\n${OUTDATED_TEXT}`);
    await check();
    // The editor may still hold the text from before.
    await untilLines(5, 7);
    await writeFile(join(folder, OUTDATED_PAGE), OUTDATED_TEXT.replace('More `attempts`', 'More'));
    await untilLines(3);
    await rm(page.fsPath);
    await untilLines();
  });

  it('ignores a name for everyone, with a reason', async () => {
    await check();
    deepStrictEqual(await ignore('attempts', ' It is in an older API '), []);
    deepStrictEqual(lines(), []);
    deepStrictEqual(JSON.parse(await readFile(join(folder, SETTINGS), 'utf8')), {
      ignore: [{ name: 'attempts', reason: 'It is in an older API' }],
    });
    await check();
    deepStrictEqual(lines(), []);
  });

  it('changes no settings that it can’t read', async () => {
    await check();
    const settings = Uri.file(join(folder, SETTINGS));
    await workspace.fs.writeFile(settings, new TextEncoder().encode('{ "ignore": [ // mine\n'));
    const [told] = await ignore('attempts', 'It is in an older API');
    match(told ?? '', /^\.docs-agent\/checks\.json can’t be used as it is, so nothing was changed\./);
    strictEqual(await readFile(settings.fsPath, 'utf8'), '{ "ignore": [ // mine\n');
    deepStrictEqual(lines(), [3, 5]);
  });

  it('writes no settings through a link that leads out of the repository', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'docs-agent-outside-'));
    try {
      await check();
      await symlink(outside, join(folder, '.docs-agent'), 'junction');
      const [told] = await ignore('attempts', 'It is in an older API');
      match(told ?? '', /^\.docs-agent\/checks\.json can’t be used as it is, so nothing was changed\./);
      deepStrictEqual([await readdir(outside), lines()], [[], [3, 5]]);
      await rm(join(folder, '.docs-agent'));
      await workspace.fs.createDirectory(Uri.file(join(folder, '.docs-agent')));
      await writeFile(join(outside, 'settings.json'), '{}');
      await symlink(join(outside, 'settings.json'), join(folder, SETTINGS));
      strictEqual((await ignore('attempts', 'It is in an older API')).length, 1);
      strictEqual(await readFile(join(outside, 'settings.json'), 'utf8'), '{}');
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  /** Runs the fix that shows the commit; returns the sides of the diff, and the line that is in view. */
  async function showCommit(title: string): Promise<{ before: string; after: string; line: string }> {
    await run((await fixes()).get(title));
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    ok(input instanceof TabInputTextDiff);
    const [before, after] = await Promise.all(
      [input.original, input.modified].map((uri) => workspace.openTextDocument(uri)),
    );
    const editor = window.visibleTextEditors.find(({ document }) => document === after);
    const line = after?.lineAt(editor?.selection.active.line ?? 0).text.trim() ?? '';
    return { before: before?.getText() ?? '', after: after?.getText() ?? '', line };
  }

  it('shows what the commit that removed a name did to the code', async () => {
    await check();
    const { before, after, line } = await showCommit('Show the Commit That Caused It');
    deepStrictEqual(
      [before, after].map((text) => /\battempts\b/.test(text)),
      [true, false],
    );
    match(line, /maxAttempts/);
  });

  it('shows changed defaults and gone links, too, and the commits behind them', async () => {
    const other = Uri.file(join(folder, 'docs', 'waiting.md'));
    const options = join(folder, 'src', 'options.ts');
    const commit = async (text: string): Promise<void> => {
      await writeFile(options, `export const defaults = {\n  timeoutSeconds: ${text},\n};\n`);
      await git(folder, 'add', '--all');
      await git(folder, 'commit', '--quiet', '-m', 'Wait');
    };
    await writeFile(other.fsPath, 'The default of `timeoutSeconds` is `30`.\n\nSee [more](more.md).\n');
    await writeFile(join(folder, 'docs', 'more.md'), '# More\n');
    await commit('30');
    await rm(join(folder, 'docs', 'more.md'));
    await commit('10');
    page = other;
    await check();
    deepStrictEqual(
      findings().map(({ code, message }) => [code, message.replace(/ in [0-9a-f]{10} /, ' in ID ')]),
      [
        ['changed-default', 'The default of “timeoutSeconds” is 10, not 30. Changed in ID (“Wait”).'],
        ['broken-link', 'The link “more.md” doesn’t lead to a file. Removed in ID (“Wait”).'],
      ],
    );
    // Also those on the other page.
    const [all] = ((await fixes()).get('Fix All 4 with a Docs Job…')?.arguments ?? []) as { findings: number[] }[];
    strictEqual(all?.findings.length, 4);
    const { before, line } = await showCommit('Show the Commit That Caused It');
    deepStrictEqual([before.split('\n')[1], line], ['  timeoutSeconds: 30,', 'timeoutSeconds: 10,']);
    deepStrictEqual(await ignore('timeoutSeconds', 'It is measured'), []);
    deepStrictEqual(lines(), [3]);
    deepStrictEqual(await ignore('more.md', 'The site makes it'), []);
    await check();
    deepStrictEqual(lines(), []);
  });

  it('stops without a message when it is canceled', async () => {
    await check();
    const { window: theirs } = await extensionVscode();
    const { withProgress, showInformationMessage, showErrorMessage } = theirs;
    const told: string[] = [];
    const show = async (text: string): Promise<void> => void told.push(text);
    const token = { isCancellationRequested: true, onCancellationRequested: (cancel: () => void) => cancel() };
    Object.assign(theirs, {
      withProgress: async (_: unknown, task: (...given: unknown[]) => Promise<unknown>) =>
        task({ report: () => undefined }, token),
      showInformationMessage: show,
      showErrorMessage: show,
    });
    try {
      await check();
    } finally {
      Object.assign(theirs, { withProgress, showInformationMessage, showErrorMessage });
    }
    deepStrictEqual([told, lines()], [[], []]);
  });
});
