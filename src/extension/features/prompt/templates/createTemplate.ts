import * as vscode from 'vscode';
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
    void vscode.window.showErrorMessage(link, vscode.l10n.t('OK'));
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
    void vscode.window.showErrorMessage(
      vscode.l10n.t('{0} could not be made. Look whether it is there already.', place),
      vscode.l10n.t('OK'),
    );
    return;
  }
  await vscode.window.showTextDocument(uri);
}

async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    const text = vscode.l10n.t('A team’s templates are files of a folder. Open the folder first.');
    void vscode.window.showWarningMessage(text, vscode.l10n.t('OK'));
    return undefined;
  }
  const placeHolder = vscode.l10n.t('Which folder is the template for?');
  return folders.length === 1
    ? folders[0]
    : vscode.window.showWorkspaceFolderPick({ placeHolder, ignoreFocusOut: true });
}

/** Returns the initial text; undefined when the user cancelled. */
async function beginWith(prompt: string): Promise<string | undefined> {
  if (prompt === '') {
    return example();
  }
  const own = { label: vscode.l10n.t('The prompt that is open'), text: escapeTemplate(prompt) };
  const items = [own, { label: vscode.l10n.t('An example'), text: example() }];
  const title = vscode.l10n.t('New team template');
  return (await vscode.window.showQuickPick(items, { title, placeHolder: vscode.l10n.t('What should it begin with?') }))
    ?.text;
}

async function askName(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('New team template'),
    prompt: vscode.l10n.t('What is it for? Its file lies in {0} and is shared with the repository.', TEMPLATE_FOLDER),
    placeHolder: vscode.l10n.t('Document an endpoint'),
    ignoreFocusOut: true,
    validateInput: (value) => nameProblem(folder, value),
  });
  return typed?.trim();
}

async function nameProblem(folder: vscode.WorkspaceFolder, value: string): Promise<string | undefined> {
  const file = templateFileName(value);
  if (file === undefined) {
    return vscode.l10n.t('Type a name with a letter or a digit.');
  }
  try {
    await vscode.workspace.fs.stat(vscode.Uri.joinPath(templateFolder(folder), file));
    return vscode.l10n.t('There is a template in {0} already.', file);
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
    `# ${vscode.l10n.t('These variables are filled in when the template is inserted:')}`,
    ...variables,
    `# ${vscode.l10n.t('A backslash before {0} makes it plain text.', '${')}`,
    '---',
    '',
    text,
    '',
  ].join('\n');
}

function example(): string {
  return [
    vscode.l10n.t('Document {0} for {1}.', '`${relativeFile}`', `\${input:${vscode.l10n.t('Who reads it?')}}`),
    '',
    '${selection}',
    '',
    `- ${vscode.l10n.t('The goal: what a reader can do with the page.')}`,
    `- ${vscode.l10n.t('What to leave alone.')}`,
    `- ${vscode.l10n.t('What to verify, and against what.')}`,
  ].join('\n');
}
