import * as vscode from 'vscode';
import { type ServiceLocation, LOCAL_SERVICE } from '../../jobs/events';
import { MAX_BODY_BYTES } from '../../base/limits';
import { isBlank } from '../../base/text';
import { promptBodyBytes } from '../../protocol/status';
import { showErrorWithLog } from '../platform/log';
import { numberText } from '../platform/numberText';
import { toNotice } from '../platform/sanitize';

/** Why a prompt could not be sent; the message is meant for the user. */
export class PromptError extends Error {}

/** The size of a prompt's request body, and by how much it exceeds the service's limit, in bytes. */
export interface PromptSize {
  bytes: number;
  /** Undefined if the service has no documented limit. */
  limit: number | undefined;
  /** 0 if it fits. */
  over: number;
}

/** The hosted service documents no limit; it answers 413 if a request is too large. */
export function sizeOf(service: string | undefined, prompt: string): PromptSize {
  const bytes = promptBodyBytes(prompt);
  const limit = service === LOCAL_SERVICE ? MAX_BODY_BYTES : undefined;
  return { bytes, limit, over: limit === undefined ? 0 : Math.max(0, bytes - limit) };
}

/** Throws PromptError if a service would refuse the text. Call this before anything is saved. */
export function refuseUnsendable({ service }: ServiceLocation, prompt: string): void {
  if (isBlank(prompt)) {
    throw new PromptError(vscode.l10n.t('Enter a prompt.'));
  }
  const { over, limit = 0 } = sizeOf(service, prompt);
  if (over > 0) {
    throw new PromptError(
      vscode.l10n.t(
        'The prompt is {0} bytes over the local service’s limit of {1} bytes. Shorten it. Nothing was sent.',
        numberText(over),
        numberText(limit),
      ),
    );
  }
}

/** Why a prompt could not be saved and what to do, in a form that is safe where it is shown. */
export function saveErrorText(error: unknown, sanitize: (text: string, max: number) => string): string {
  if (error instanceof PromptError) {
    return sanitize(error.message, 400);
  }
  const { reason, remedy } = explain(error);
  const text = vscode.l10n.t('Couldn’t save the prompt: {0}. {1}, then try again. Nothing was sent.', reason, remedy);
  return sanitize(text, 400);
}

/** Warns that typed text exists in this window only. */
export function showUnsavedWarning(error: unknown): void {
  const { reason, remedy } = explain(error);
  const text = vscode.l10n.t(
    'Couldn’t save what you’re typing: {0}. {1}. Until then, your text is only in this window.',
    reason,
    remedy,
  );
  void showErrorWithLog(toNotice(text, 400), 'error');
}

/** Why a text could not be saved, as part of a sentence. */
export function whyUnsaved(error: unknown): string {
  return explain(error).reason;
}

/** `remedy` is the start of a sentence that continues with “and”. */
function explain(error: unknown): { reason: string; remedy: string } {
  const { code, path, message } = error as NodeJS.ErrnoException;
  const place = path ?? vscode.l10n.t('the extension’s storage folder');
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return { reason: vscode.l10n.t('the disk is full ({0})', code), remedy: vscode.l10n.t('Free up space') };
    case 'EROFS':
      return {
        reason: vscode.l10n.t('the disk is read-only ({0})', code),
        remedy: vscode.l10n.t('Make it writable'),
      };
    case 'EACCES':
    case 'EPERM':
      return {
        reason: vscode.l10n.t('no write access to {0} ({1})', place, code),
        remedy: vscode.l10n.t('Allow access to it'),
      };
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOENT':
      return {
        reason: vscode.l10n.t('couldn’t create the folder {0} ({1})', place, code),
        remedy: vscode.l10n.t('Check what’s blocking it'),
      };
    case 'EMFILE':
    case 'ENFILE':
      return {
        reason: vscode.l10n.t('too many files are open ({0})', code),
        remedy: vscode.l10n.t('Close some programs'),
      };
    case undefined:
      return { reason: message, remedy: vscode.l10n.t('Check the log (“Show Log”)') };
    default:
      return { reason: vscode.l10n.t('disk error ({0})', code), remedy: vscode.l10n.t('Check the disk') };
  }
}
