import type { Logger } from '../../base/logger';
import type { ServiceLocation } from '../../jobs/events';
import type { Secret } from '../../prompt/secrets/secret';
import type { SendTime } from '../platform/sendTime';
import { refuseTooLong } from './promptLimits';
import type { SendGuard } from './sendGuard';
import type { Sending } from './sender';

/** Where a prompt goes, and how it is built and saved. */
export interface PromptTarget {
  location: ServiceLocation;
  /** Builds the full prompt from the user's text; otherwise, the text is the prompt. */
  toPrompt?: (text: string) => Promise<string>;
  /**
   * Saves the prompt, which then is on its way.
   *
   * @param time when to send it, if that was chosen
   * @returns undefined if the user decides against sending
   */
  save: (prompt: string, time?: SendTime) => Promise<Sending | undefined>;
}

export interface PromptRequest extends PromptTarget {
  /** Returns the user's current text. */
  text: () => string;
  time?: SendTime | undefined;
  /** A prompt from a program is not checked for secrets; what was found is logged. */
  isFromProgram?: boolean | undefined;
  /** Shows the text in the editor, where it is a draft. Rejects if it can't be saved there. */
  edit?: (prompt: string, secrets: readonly Secret[]) => Promise<unknown>;
}

/** What happened to a text. Unless it was sent, its draft is to be kept; if it was saved, the editor has it. */
export type Outcome =
  | { outcome: 'sent'; sending: Sending }
  | { outcome: 'saved' }
  | { outcome: 'failed'; error: unknown }
  | { outcome: 'cancelled' };

/** Checks a prompt and saves it to be sent. Never rejects; a failure is logged, and the caller tells the user. */
export async function sendPrompt(
  { guard, log }: { guard: SendGuard; log: Logger },
  { location, text, toPrompt, save, time, isFromProgram = false, edit }: PromptRequest,
): Promise<Outcome> {
  try {
    for (;;) {
      const typed = text();
      const prompt = toPrompt === undefined ? typed : await toPrompt(typed);
      refuseTooLong(location, prompt);
      if (isFromProgram) {
        guard.remember(prompt);
      }
      const decision = isFromProgram ? { send: prompt } : await guard.ask(prompt, edit !== undefined);
      if (decision === undefined) {
        return { outcome: 'cancelled' };
      }
      if ('review' in decision) {
        await edit?.(prompt, decision.review);
        return { outcome: 'saved' };
      }
      // What was typed while the question was open has not been checked.
      if (text() === typed) {
        const sending = await save(decision.send, time);
        return sending === undefined ? { outcome: 'cancelled' } : { outcome: 'sent', sending };
      }
    }
  } catch (error) {
    log.error('couldn’t save a prompt, so it wasn’t sent', error);
    return { outcome: 'failed', error };
  }
}
