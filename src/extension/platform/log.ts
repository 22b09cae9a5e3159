import * as vscode from 'vscode';
import type { Logger } from '../../base/logger';
import { describeError, type Redactor } from '../../base/redact';
import { toLogLines } from './sanitize';

/**
 * The log channel, with secrets redacted from every line. The editor opens a file for it when the first line is
 * written.
 */
export class Log implements Logger, vscode.Disposable {
  private made: vscode.LogOutputChannel | undefined;
  private isDisposed = false;

  constructor(private readonly redactor: Redactor) {}

  info(message: string): void {
    this.channel?.info(this.line(message, undefined));
  }

  warn(message: string, error?: unknown): void {
    this.channel?.warn(this.line(message, error));
  }

  error(message: string, error?: unknown): void {
    this.channel?.error(this.line(message, error));
  }

  show(): void {
    this.channel?.show();
  }

  dispose(): void {
    this.isDisposed = true;
    this.made?.dispose();
  }

  /** Undefined after disposal: a later message would create a channel that nothing disposes. */
  private get channel(): vscode.LogOutputChannel | undefined {
    return this.isDisposed ? undefined : (this.made ??= vscode.window.createOutputChannel('Docs Agent', { log: true }));
  }

  private line(message: string, error: unknown): string {
    return toLogLines(this.redactor.redact(error === undefined ? message : `${message}: ${describeError(error)}`));
  }
}

/**
 * Shows a failure with a button that opens the log. VS Code truncates a notification without buttons to a single line.
 *
 * @param text escaped for a notification
 */
export async function showErrorWithLog(text: string, severity: 'warning' | 'error' = 'warning'): Promise<void> {
  const log = vscode.l10n.t('Show Log');
  const { showErrorMessage, showWarningMessage } = vscode.window;
  if ((await (severity === 'error' ? showErrorMessage : showWarningMessage)(text, log)) === log) {
    await vscode.commands.executeCommand('docsAgent.showLog');
  }
}
