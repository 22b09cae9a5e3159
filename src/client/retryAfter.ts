/** The longest wait that is told, in milliseconds; a longer one is a fault and might end at no date that there is. */
const LONGEST_MS = 366 * 86_400_000;

/** The three forms of an HTTP date begin with the day; `Date.parse` alone would take `-5` and `soon 5` for dates, too. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3: seconds or an HTTP date).
 *
 * @param now wall time in milliseconds, which a date is compared with
 * @returns milliseconds to wait, or undefined where the value is neither
 */
export function parseRetryAfter(value: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim();
  if (text === undefined) {
    return undefined;
  }
  if (/^\d+$/.test(text)) {
    return secondsToWait(Number(text));
  }
  // The oldest form names no zone and is in GMT, too.
  const date = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), LONGEST_MS);
}

/** Seconds that a service asks to wait, in milliseconds. */
export function secondsToWait(seconds: number): number {
  return Math.min(seconds * 1000, LONGEST_MS);
}
