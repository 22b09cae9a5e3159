import * as vscode from 'vscode';
import { offerFolder } from '../../../platform/repositories';
import { escapeTemplate, templateFileName, VARIABLES } from '../../../../prompt/promptTemplate';
import type { Composer } from '../composer/composer';
import { refusedLink, TEMPLATE_FOLDER, templateFolder } from './findTemplates';
import { variableForm, variableText } from './templateVariables';

/** Creates a team template file, from an example or from the open prompt, and opens it. Never overwrites a file. */
export async function createTemplate(composer: Pick<Composer, 'active'>): Promise<void> {
  const folder = await chooseFolder();
  if (folder === undefined) {
    return;
  }
  const link = await refusedLink(folder);
  if (link !== undefined) {
    void showFailure(folder, link);
    return;
  }
  const text = await beginWith(composer.active?.getText().trim() ?? '');
  const name = text === undefined ? undefined : await askName(folder);
  const file = templateFileName(name ?? '');
  if (text === undefined || name === undefined || file === undefined) {
    return;
  }
  const uri = vscode.Uri.joinPath(templateFolder(folder), file);
  const edit = new vscode.WorkspaceEdit();
  // Creates parent folders too, and does not overwrite a file created in the meantime.
  edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(templateFile(name, text)) });
  if (!(await vscode.workspace.applyEdit(edit))) {
    const place = `${TEMPLATE_FOLDER}/${file}`;
    void showFailure(folder, vscode.l10n.t('Couldn’t create {0}. Check whether it already exists.', place));
    return;
  }
  await vscode.window.showTextDocument(uri);
}

async function showFailure(folder: vscode.WorkspaceFolder, text: string): Promise<void> {
  const show = vscode.l10n.t('Show in Explorer');
  if ((await vscode.window.showErrorMessage(text, show)) === show) {
    await vscode.commands.executeCommand('revealInExplorer', templateFolder(folder));
  }
}

async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    const text = vscode.l10n.t('Team templates are stored in a folder. Open the folder first.');
    void offerFolder(text);
    return undefined;
  }
  const placeHolder = vscode.l10n.t('Select a folder for the template');
  return folders.length === 1
    ? folders[0]
    : vscode.window.showWorkspaceFolderPick({ placeHolder, ignoreFocusOut: true });
}

/** Returns the initial text; undefined when the user cancelled. */
async function beginWith(prompt: string): Promise<string | undefined> {
  if (prompt === '') {
    return example();
  }
  const own = { label: vscode.l10n.t('The open prompt'), text: escapeTemplate(prompt) };
  const items = [own, { label: vscode.l10n.t('Example'), text: example() }];
  const title = vscode.l10n.t('New team prompt template');
  return (await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('Choose a starting point') }))
    ?.text;
}

async function askName(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('New team prompt template'),
    prompt: vscode.l10n.t('Name the template. It’s saved in {0} and shared with your team.', TEMPLATE_FOLDER),
    placeHolder: vscode.l10n.t('Document an endpoint'),
    ignoreFocusOut: true,
    validateInput: (value) => nameProblem(folder, value),
  });
  return typed?.trim();
}

async function nameProblem(folder: vscode.WorkspaceFolder, value: string): Promise<string | undefined> {
  const file = templateFileName(value);
  if (file === undefined) {
    return vscode.l10n.t('Enter a name with at least one letter or digit.');
  }
  try {
    await vscode.workspace.fs.stat(vscode.Uri.joinPath(templateFolder(folder), file));
    return vscode.l10n.t('{0} already exists.', file);
  } catch {
    return undefined;
  }
}

/** The explanations are comments in the header, which are never part of a prompt. */
function templateFile(name: string, text: string): string {
  const variables = VARIABLES.map((each) => `#   ${variableForm(each)} ${variableText(each)}`);
  return [
    '---',
    // JSON strings are valid YAML.
    `name: ${JSON.stringify(name)}`,
    'description: ""',
    `# ${vscode.l10n.t('These variables are filled in when you insert the template:')}`,
    ...variables,
    `# ${vscode.l10n.t('Put a backslash before {0} to keep it as plain text.', '${')}`,
    '---',
    '',
    text,
    '',
  ].join('\n');
}

function example(): string {
  return [
    vscode.l10n.t('Document {0} for {1}.', '`${relativeFile}`', `\${input:${vscode.l10n.t('Who is the reader?')}}`),
    '',
    '${selection}',
    '',
    `- ${vscode.l10n.t('The goal: what readers can do with the page.')}`,
    `- ${vscode.l10n.t('What not to change.')}`,
    `- ${vscode.l10n.t('What to verify, and against which source.')}`,
  ].join('\n');
}
