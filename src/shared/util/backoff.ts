/** The longest `Retry-After` that is obeyed, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

export interface Backoff {
  baseMs: number;
  capMs: number;
}

/**
 * Full jitter: a random share of the doubled and capped step, so that many clients do not come back together
 * (Brooker, "Exponential Backoff and Jitter"). What the service asks for is the floor.
 *
 * @param failures how many attempts have failed in a row, from 1
 * @param random a number in [0, 1)
 * @returns milliseconds to wait
 */
export function backoffDelay(backoff: Backoff, failures: number, random: number, retryAfterMs = 0): number {
  const step = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(failures, 30));
  return Math.max(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS), backoff.baseMs + random * (step - backoff.baseMs));
}

/** The share of a step that is left to chance in {@link growingDelay}. */
const JITTER = 0.25;

/**
 * Each wait is about twice as long as the one before it, up to the cap, whatever chance says: for requests that must get
 * rarer, and not only spread out. What the service asks for counts where it is longer.
 *
 * @param refusals how many requests were refused in a row, from 1
 * @param random a number in [0, 1)
 * @returns milliseconds to wait
 */
export function growingDelay(backoff: Backoff, refusals: number, random: number, retryAfterMs = 0): number {
  const step = Math.min(backoff.capMs / (1 + JITTER), backoff.baseMs * 2 ** Math.min(refusals - 1, 30));
  return Math.max(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS), step * (1 + JITTER * random));
}
