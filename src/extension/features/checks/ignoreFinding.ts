import * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import { CONFIGURATION_FILE, ConfigurationError, readConfiguration } from '../../../checks/configuration';
import { subjectOf } from '../../../checks/finding';
import { findLink } from '../../platform/findLink';
import { toLabel } from '../../platform/sanitize';
import type { Findings, ShownFinding } from './findings';

const MAX_NAME = 60;

/** Asks for a reason and adds the name, or the target of the link, to the repository's settings, for everyone who works on it. */
export async function ignoreFinding(
  findings: Pick<Findings, 'remove'>,
  shown: ShownFinding,
  log: Logger,
): Promise<void> {
  const { root, finding } = shown;
  const reason = await vscode.window.showInputBox({
    title: vscode.l10n.t('Ignore “{0}”', toLabel(subjectOf(finding), MAX_NAME)),
    prompt: vscode.l10n.t('Why is this correct? Your answer is saved in {0}.', CONFIGURATION_FILE),
    placeHolder: vscode.l10n.t('For example: it’s an option of another program'),
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Enter a reason.') : undefined),
  });
  if (reason === undefined) {
    return;
  }
  const file = vscode.Uri.joinPath(root, CONFIGURATION_FILE);
  try {
    const link = await findLink(root, CONFIGURATION_FILE);
    if (link !== undefined) {
      throw new ConfigurationError(`“${link}” is a symbolic link.`);
    }
    if (await addTo(file, subjectOf(finding), reason.trim())) {
      findings.remove(
        (each) => each.root.toString() === root.toString() && subjectOf(each.finding) === subjectOf(finding),
      );
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) {
      throw error;
    }
    log.warn('a name could not be added to the ignored ones', error);
    void offerFile(file);
  }
}

/** Returns false if the file could not be written (the editor has said so). */
async function addTo(file: vscode.Uri, name: string, reason: string): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  if (!(await exists(file))) {
    edit.createFile(file, { contents: new TextEncoder().encode(addIgnoredName(undefined, name, reason)) });
    return vscode.workspace.applyEdit(edit);
  }
  // As a document, so that what the user has typed there and not saved is kept.
  const document = await vscode.workspace.openTextDocument(file);
  const { isDirty } = document;
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  edit.replace(file, document.validateRange(whole), addIgnoredName(document.getText(), name, reason));
  return (await vscode.workspace.applyEdit(edit)) && (isDirty || (await document.save()));
}

function exists(file: vscode.Uri): Thenable<boolean> {
  return vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
}

async function offerFile(file: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open File');
  const text = vscode.l10n.t(
    '{0} can’t be used as it is, so nothing was changed. Correct it, then try again.',
    CONFIGURATION_FILE,
  );
  if ((await vscode.window.showErrorMessage(text, open)) === open) {
    await vscode.window.showTextDocument(file);
  }
}

/**
 * Returns the settings of a repository's checks with one more ignored name. Keeps everything else, the indentation, and
 * the kind of line ends. A name that is already ignored gets the new reason. Throws ConfigurationError rather than lose
 * something in a file that can't be read.
 *
 * @param text the file's text; undefined for a new file
 */
export function addIgnoredName(text: string | undefined, name: string, reason: string): string {
  readConfiguration(text ?? '{}');
  // As they are in the file, without defaults.
  const settings = JSON.parse(text ?? '{}') as { ignore?: { name: string }[] };
  // Of several members with the same name, only the last was parsed.
  if (countMembers(text ?? '{}') !== countMembers(JSON.stringify(settings))) {
    throw new ConfigurationError(`“${CONFIGURATION_FILE}” has a member twice.`);
  }
  const others = (settings.ignore ?? []).filter((each) => each.name !== name);
  const json = JSON.stringify({ ...settings, ignore: [...others, { name, reason }] }, null, indentOf(text));
  return `${json}\n`.replaceAll('\n', text?.includes('\r\n') === true ? '\r\n' : '\n');
}

/** Counts the members of all objects in a JSON text: its colons, except those in strings. */
function countMembers(json: string): number {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length;
}

function indentOf(text = ''): string {
  return /^\{\r?\n([ \t]{1,8})\S/.exec(text.trimStart())?.[1] ?? '  ';
}
