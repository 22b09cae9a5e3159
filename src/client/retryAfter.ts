/** The longest wait that is told, in milliseconds; a longer one is a fault and might end at no date that there is. */
const LONGEST_MS = 366 * 86_400_000;

/** The three forms of an HTTP date begin with the day; `Date.parse` alone would take `-5` and `soon 5` for dates, too. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

type Header = string | string[] | undefined;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3: seconds or an HTTP date).
 *
 * @param now wall time in milliseconds, which a date is compared with
 * @param sent the answer's own `Date`, which goes before `now`: this machine's clock may be wrong
 * @returns milliseconds to wait, or undefined where the value is neither
 */
export function parseRetryAfter(value: Header, now: number, sent?: Header): number | undefined {
  const text = firstOf(value);
  if (text === undefined) {
    return undefined;
  }
  if (/^\d+$/.test(text)) {
    return secondsToWait(Number(text));
  }
  const date = parseDate(text);
  return date === undefined ? undefined : Math.min(Math.max(0, date - (parseDate(firstOf(sent)) ?? now)), LONGEST_MS);
}

function firstOf(header: Header): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.trim();
}

/** An HTTP date in milliseconds. */
function parseDate(text = ''): number | undefined {
  // The oldest form names no zone and is in GMT, too.
  const date = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** Seconds that a service asks to wait, in milliseconds. */
export function secondsToWait(seconds: number): number {
  return Math.min(seconds * 1000, LONGEST_MS);
}
