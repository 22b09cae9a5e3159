import * as vscode from 'vscode';
import { type Home, LOCAL_SERVICE } from '../../jobs/events';
import { MAX_LOCAL_BODY_BYTES, promptBodyBytes } from '../../protocol/status';
import { numberText } from '../platform/numberText';
import { toBoxLine, toLabel, toNotice } from '../platform/sanitize';

/** A prompt that its service would refuse for its length; the message says so to the user. */
export class TooLongError extends Error {}

/** How large the body of a prompt is, and by how much that is too much for its service, in bytes. */
export interface PromptSize {
  bytes: number;
  /** Undefined where the service names no limit. */
  limit: number | undefined;
  /** 0 when it fits. */
  over: number;
}

/** The hosted service names no limit: it answers 413 to what it does not take. */
export function sizeOf(service: string | undefined, prompt: string): PromptSize {
  const bytes = promptBodyBytes(prompt);
  const limit = service === LOCAL_SERVICE ? MAX_LOCAL_BODY_BYTES : undefined;
  return { bytes, limit, over: limit === undefined ? 0 : Math.max(0, bytes - limit) };
}

/** Throws TooLongError. To be asked before anything is kept. */
export function refuseTooLong({ service }: Home, prompt: string): void {
  const { over, limit = 0 } = sizeOf(service, prompt);
  if (over > 0) {
    throw new TooLongError(
      vscode.l10n.t(
        'The prompt is {0} bytes too long: the local service takes {1} bytes with each. Shorten it; nothing was sent.',
        numberText(over),
        numberText(limit),
      ),
    );
  }
}

/** A change that came too late; the message says so to the user. */
export class TooLateError extends Error {}

/** Why a prompt could not be saved and what to do; for the line below the box that holds it. */
export function notKeptHint(error: unknown): string {
  if (error instanceof TooLateError || error instanceof TooLongError) {
    return toBoxLine(error.message, 400);
  }
  const { reason, remedy } = explain(error);
  return toBoxLine(
    vscode.l10n.t('The prompt could not be saved: {0}. {1} and press Enter again; nothing was sent.', reason, remedy),
    400,
  );
}

/** The same for a notification. */
export function notKeptNotice(error: unknown): string {
  if (error instanceof TooLongError) {
    return toNotice(error.message, 400);
  }
  const { reason, remedy } = explain(error);
  return toNotice(
    vscode.l10n.t('The prompt could not be saved: {0}. {1} and open it again; nothing was sent.', reason, remedy),
    400,
  );
}

/** The same for a page that still holds it. */
export function notKeptOnPage(error: unknown): string {
  if (error instanceof TooLongError) {
    return toLabel(error.message, 400);
  }
  const { reason, remedy } = explain(error);
  return toLabel(
    vscode.l10n.t('The prompt could not be saved: {0}. {1} and send it again; nothing was sent.', reason, remedy),
    400,
  );
}

/** Tells that what is typed is in this window only. */
export function tellUnsaved(error: unknown): void {
  const { reason, remedy } = explain(error);
  const text = vscode.l10n.t(
    'What you type can’t be saved: {0}. {1}; until then your text is in this window only.',
    reason,
    remedy,
  );
  void vscode.window.showErrorMessage(toNotice(text, 400), vscode.l10n.t('OK'));
}

/** Why a text could not be written down, as a part of a sentence. */
export function whyUnsaved(error: unknown): string {
  return explain(error).reason;
}

/** The remedy is the beginning of a sentence that goes on with “and”. */
function explain(error: unknown): { reason: string; remedy: string } {
  const { code, path, message } = error as NodeJS.ErrnoException;
  const place = path ?? vscode.l10n.t('the extension’s storage folder');
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return { reason: vscode.l10n.t('the disk is full ({0})', code), remedy: vscode.l10n.t('Free some space') };
    case 'EROFS':
      return {
        reason: vscode.l10n.t('the disk can only be read ({0})', code),
        remedy: vscode.l10n.t('Make it writable'),
      };
    case 'EACCES':
    case 'EPERM':
      return { reason: vscode.l10n.t('{0} may not be written ({1})', place, code), remedy: vscode.l10n.t('Allow it') };
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOENT':
      return {
        reason: vscode.l10n.t('the folder {0} can’t be made ({1})', place, code),
        remedy: vscode.l10n.t('See what is in its way'),
      };
    case 'EMFILE':
    case 'ENFILE':
      return {
        reason: vscode.l10n.t('too many files are open ({0})', code),
        remedy: vscode.l10n.t('Close some programs'),
      };
    case undefined:
      return { reason: message, remedy: vscode.l10n.t('Look into the log (“Show Log”)') };
    default:
      return { reason: vscode.l10n.t('the disk reports a fault ({0})', code), remedy: vscode.l10n.t('Check it') };
  }
}
