import { countInvisible, showInvisible } from '../../shared/util/invisible';

/** So much of the beginning and of the end of a long prompt is shown before it is sent, in characters. */
const HEAD = 3000;
const TAIL = 1500;

/** What a person sees of a prompt that a program wants to send. */
export interface ShownPrompt {
  /** The whole prompt, or its beginning, character for character but for what is written as a number. */
  beginning: string;
  /** Of a long prompt. */
  end?: { leftOut: number; text: string };
  /** How many characters of the whole prompt can't be seen; they are written as their numbers. */
  invisible: number;
}

/**
 * Of a very long prompt the end is shown, too, since a model that was misled would put there what is not to be seen.
 */
export function shownPrompt(prompt: string): ShownPrompt {
  const invisible = countInvisible(prompt);
  const leftOut = prompt.length - HEAD - TAIL;
  if (leftOut <= 0) {
    return { beginning: showInvisible(prompt), invisible };
  }
  const end = { leftOut, text: showInvisible(prompt.slice(-TAIL)) };
  return { beginning: showInvisible(prompt.slice(0, HEAD)), end, invisible };
}
