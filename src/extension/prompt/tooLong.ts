import * as vscode from 'vscode';
import { numberText } from '../invisibleWords';
import { type Home, LOCAL_SERVICE } from '../../jobs/events';
import { MAX_LOCAL_BODY_BYTES, promptBodyBytes } from '../../shared/protocol/promptBody';

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
