import * as vscode from 'vscode';
import type { Logger } from '../shared/util/logger';
import { type Redactor, describeError } from '../shared/util/redact';
import { toLogLines } from './text';

/** The log channel, with secrets blotted out of every line. */
export class Log implements Logger, vscode.Disposable {
  private readonly channel = vscode.window.createOutputChannel('Docs Agent', { log: true });

  constructor(private readonly redactor: Redactor) {}

  info(message: string): void {
    this.channel.info(this.line(message, undefined));
  }

  warn(message: string, error?: unknown): void {
    this.channel.warn(this.line(message, error));
  }

  error(message: string, error?: unknown): void {
    this.channel.error(this.line(message, error));
  }

  show(): void {
    this.channel.show();
  }

  dispose(): void {
    this.channel.dispose();
  }

  private line(message: string, error: unknown): string {
    return toLogLines(this.redactor.redact(error === undefined ? message : `${message}: ${describeError(error)}`));
  }
}
