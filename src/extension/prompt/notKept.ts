import * as vscode from 'vscode';
import { toBoxLine, toLabel, toNotice } from '../text';
import { TooLongError } from './tooLong';

const { t } = vscode.l10n;

/** A change that came too late; the message says so to the user. */
export class TooLateError extends Error {}

/** Why a prompt could not be saved and what to do; for the line below the box that holds it. */
export function notKeptHint(error: unknown): string {
  if (error instanceof TooLateError || error instanceof TooLongError) {
    return toBoxLine(error.message, 400);
  }
  const { reason, remedy } = explain(error);
  return toBoxLine(
    t('The prompt could not be saved: {0}. {1} and press Enter again; nothing was sent.', reason, remedy),
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
    t('The prompt could not be saved: {0}. {1} and open it again; nothing was sent.', reason, remedy),
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
    t('The prompt could not be saved: {0}. {1} and send it again; nothing was sent.', reason, remedy),
    400,
  );
}

/** The remedy is the beginning of a sentence that goes on with “and”. */
function explain(error: unknown): { reason: string; remedy: string } {
  const { code, path, message } = error as NodeJS.ErrnoException;
  const place = path ?? t('the extension’s storage folder');
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return { reason: t('the disk is full ({0})', code), remedy: t('Free some space') };
    case 'EROFS':
      return { reason: t('the disk can only be read ({0})', code), remedy: t('Make it writable') };
    case 'EACCES':
    case 'EPERM':
      return { reason: t('{0} may not be written ({1})', place, code), remedy: t('Allow it') };
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOENT':
      return { reason: t('the folder {0} can’t be made ({1})', place, code), remedy: t('See what is in its way') };
    case 'EMFILE':
    case 'ENFILE':
      return { reason: t('too many files are open ({0})', code), remedy: t('Close some programs') };
    case undefined:
      return { reason: message, remedy: t('Look into the log (“Show Log”)') };
    default:
      return { reason: t('the disk reports a fault ({0})', code), remedy: t('Check it') };
  }
}
