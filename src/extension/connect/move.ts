import type { Draft, Problem } from './flow';
import type { Left } from './boxes';

/** How the user left a step, and what the draft becomes by it. */
export type Move =
  /** `keep`: on as with `next`, and no check at the end. */
  | { way: 'next' | 'back' | 'keep' | 'retry'; change: Partial<Draft> }
  /** Out of the flow, to something that has to be done first. */
  | { way: 'leave'; command: string; argument?: unknown }
  /** It could not be asked. */
  | { way: 'failed'; problem: Problem }
  /** Escape: all stays as it was. */
  | { way: 'cancel' };

export const CANCEL: Move = { way: 'cancel' };

/** Makes a move of what a box gave; a button keeps what was typed without a check. */
export function moveOf<T>(left: Left<T> | undefined, change: (value: T) => Partial<Draft>): Move {
  if (left === undefined) {
    return CANCEL;
  }
  return { way: left.way === 'button' ? 'keep' : left.way, change: change(left.value) };
}
