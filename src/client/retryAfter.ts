/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3: seconds or an HTTP date).
 *
 * @param now wall time in milliseconds, which a date is compared with
 * @returns milliseconds to wait, or undefined where the value is neither
 */
export function parseRetryAfter(value: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim();
  if (text === undefined || text === '') {
    return undefined;
  }
  if (/^\d+$/.test(text)) {
    return Number(text) * 1000;
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
