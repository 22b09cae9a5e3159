import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { terminalBlock, terminalText } from '../../../../prompt/blocks';
import { BUDGETS } from '../../../../prompt/budgets';
import type { Collected } from '../box/contextInserter';

/**
 * Collects the selection of the active terminal. VS Code has no API for it, so it is copied through the clipboard, only
 * on the user's request. The clipboard's text is always restored.
 */
export async function collectTerminalSelection(): Promise<Collected> {
  const text = vscode.window.activeTerminal === undefined ? undefined : await copySelection();
  if (text === undefined || terminalText(text) === '') {
    return { blocks: [], refused: [vscode.l10n.t('Select text in a terminal first.')] };
  }
  return { blocks: [terminalBlock(text, BUDGETS.terminal)], refused: [] };
}

/** Undefined when nothing was copied. */
async function copySelection(): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  // The command does not report whether it copied anything; a unique marker in the clipboard shows that.
  const mark = before === '' ? '' : randomUUID();
  try {
    // A clipboard without text may hold an image, which could not be restored, so no marker is written.
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
