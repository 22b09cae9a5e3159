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
