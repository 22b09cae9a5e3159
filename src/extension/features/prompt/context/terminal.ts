import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { terminalBlock, terminalText } from '../../../../prompt/blocks';
import { BUDGETS } from '../../../../prompt/budgets';
import type { Collected } from '../box/promptDesk';

/**
 * What is selected in the active terminal. VS Code's API does not give it away, so it goes over the clipboard, only when
 * the user asks for it; the clipboard's text is put back whatever happens.
 */
export async function collectTerminalSelection(): Promise<Collected> {
  const text = vscode.window.activeTerminal === undefined ? undefined : await copySelection();
  if (text === undefined || terminalText(text) === '') {
    return { blocks: [], refused: [vscode.l10n.t('Select some text in a terminal first.')] };
  }
  return { blocks: [terminalBlock(text, BUDGETS.terminal)], refused: [] };
}

/** Undefined when nothing was copied. */
async function copySelection(): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  // The command says nothing about whether it copied; a text that can't be anywhere does.
  const mark = before === '' ? '' : randomUUID();
  try {
    // Without text there may be a picture, which could not be put back: it is not touched before something is copied.
    if (mark !== '') {
      await clipboard.writeText(mark);
    }
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const after = await clipboard.readText();
    return after === mark ? undefined : after;
  } finally {
    if (mark !== '') {
      await clipboard.writeText(before);
    }
  }
}
