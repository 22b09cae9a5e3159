import { ServiceError } from '../protocol/errors';
import { type BackoffRange, backoffDelay, type Clock, delay, growingDelay } from './async';

/** Whether trying again later may help. */
export function isTransient(error: unknown): error is ServiceError {
  return error instanceof ServiceError && ['unreachable', 'timeout', 'limit'].includes(error.kind);
}

export interface RetryOptions {
  attempts: number;
  /** The wait after this many failures, in milliseconds; undefined if the error is final. */
  wait: (error: unknown, failures: number) => number | undefined;
  clock: Pick<Clock, 'after'>;
  signal?: AbortSignal | undefined;
}

/** Does the work until it succeeds. Throws its last error, or the signal's reason. */
export async function retry<T>(work: (isLast: boolean) => Promise<T>, options: RetryOptions): Promise<T> {
  for (let failures = 1; ; failures++) {
    const isLast = failures >= options.attempts;
    try {
      return await work(isLast);
    } catch (error) {
      const ms = isLast ? undefined : options.wait(error, failures);
      if (ms === undefined) {
        throw error;
      }
      await delay(options.clock, ms, options.signal);
    }
  }
}

/** Short, because connecting to a local service costs next to nothing. */
const BACKOFF: BackoffRange = { baseMs: 1000, capMs: 15_000 };

/** For a service that limits requests. */
const LIMITED: BackoffRange = { baseMs: 5000, capMs: 300_000 };

/** A connection that lasts at least this long, in milliseconds, counts as having worked. */
const STEADY_MS = 5000;

/**
 * Connects again whenever a connection ends, with growing waits, until `connect` returns true or the signal aborts.
 * Throws what `connect` throws if trying again can't help.
 *
 * @param connect resolves when the connection has ended. Calls `alive` whenever something arrives, with true for news.
 */
export async function reconnect(
  connect: (alive: (isNews: boolean) => void) => Promise<boolean>,
  { clock, random }: { clock: Clock; random: () => number },
  signal: AbortSignal,
): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  let [failures, refusals] = [0, 0];
  while (!isOver()) {
    let aliveSince = Infinity;
    let error: ServiceError | undefined;
    const alive = (isNews: boolean): void => {
      aliveSince = Math.min(aliveSince, clock.monotonic());
      failures = isNews ? 0 : failures;
    };
    try {
      if (await connect(alive)) {
        return;
      }
    } catch (thrown) {
      if (isOver()) {
        return;
      }
      if (!isTransient(thrown)) {
        throw thrown;
      }
      error = thrown;
    }
    failures = clock.monotonic() - aliveSince >= STEADY_MS ? 1 : failures + 1;
    refusals = error?.kind === 'limit' ? refusals + 1 : 0;
    const wait =
      refusals > 0
        ? growingDelay(LIMITED, refusals, random(), error?.retryAfterMs)
        : backoffDelay(BACKOFF, failures, random(), error?.retryAfterMs);
    await delay(clock, wait, signal).catch(() => undefined);
  }
}
