import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { SETTINGS, SETTINGS_SECTION } from '../ids';
import { toBoxLine } from './sanitize';

/**
 * Splits a command at its spaces. Quotation marks keep the spaces between them; a backslash is a character like any
 * other, as in the paths of Windows. Undefined if one of the marks isn't closed.
 */
export function splitCommand(text: string): string[] | undefined {
  if (/["']/.test(text.replaceAll(/"[^"]*"|'[^']*'/g, ''))) {
    return undefined;
  }
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** The text that {@link splitCommand} splits into these words. */
export function joinCommand(words: readonly string[]): string {
  const quoted = (word: string): string => `"${word.replaceAll('"', `"'"'"`)}"`;
  return words.map((word) => (/^[^\s"']+$/.test(word) ? word : quoted(word))).join(' ');
}

/**
 * Asks for the program and arguments of the user's own agent. Undefined when cancelled.
 *
 * @param problem why the present one can't be used
 */
export async function askForCommand(present: readonly string[], problem = ''): Promise<string[] | undefined> {
  const prompt = vscode.l10n.t(
    'Enter a program and its arguments. It gets the prompt on standard input, and edits the files in its working folder. For an agent with the Agent Client Protocol, also set {0}.',
    `${SETTINGS_SECTION}.${SETTINGS.agentProtocol}`,
  );
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Command of the coding agent'),
    prompt: toBoxLine(`${problem} ${prompt}`.trim(), 1_000),
    placeHolder: 'aider --yes-always --no-auto-commits',
    value: joinCommand(present),
    ignoreFocusOut: true,
    validateInput: commandProblem,
  });
  return typed === undefined ? undefined : splitCommand(typed);
}

function commandProblem(text: string): string | undefined {
  const words = splitCommand(text);
  if (words === undefined) {
    return vscode.l10n.t('A quotation mark isn’t closed.');
  }
  const [program = ''] = words;
  if (program === '') {
    return vscode.l10n.t('Enter a program.');
  }
  // It would be looked up in the job's clone, and a repository must not decide what runs.
  return /[/\\]/.test(program) && !isAbsolute(program)
    ? vscode.l10n.t('Enter the absolute path of the program, or only its name.')
    : undefined;
}
