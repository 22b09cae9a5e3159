import { DAY_MS, HOUR_MS } from '../base/async';

/** A reset that lies further ahead isn't worth waiting for: most of those are the end of a month. */
const MAX_WAIT_MS = 7 * DAY_MS;

/** A reset this long ago counts as now: agents round their times, and some show an old one. */
const MAX_PAST_MS = 15 * 60_000;

const EPOCH = /(?:\||resets?_?at\W{1,6})(\d{10})(?:\d{3})?(?!\d)/i;
const SECONDS = /(?:resets?_in_seconds|retry[_-]?after(?:[_-]?seconds)?|retry_?delay)\W{1,6}(\d+(?:\.\d+)?)/i;
const DURATION =
  /\b(?:in|after|for|wait) (?:about |approximately |~)?((?:\d+(?:\.\d+)? ?(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])[ ,]*(?:and )?)+)/i;
const PART = /(\d{1,9}(?:\.\d{1,9})?) ?([dhms])/gi;
const UNITS: Readonly<Record<string, number>> = { d: DAY_MS, h: HOUR_MS, m: 60_000, s: 1_000 };

const TIME = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d)(?::[\d.]+)?)?(?: ?(?<half>[ap])\.?m\b)?`;
const MONTH = String.raw`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`;
const DATE = new RegExp(
  String.raw`\b(?<day>(?<year>\d{4})-\d\d-\d\d|\d{1,2}/\d{1,2}/\d{4}|(?<name>${MONTH} \d{1,2}|\d{1,2} ${MONTH})(?:st|nd|rd|th)?(?:,? (?<later>\d{4}))?)(?:(?:T|,? (?:at )?)${TIME} ?(?<offset>Z|[+-]\d\d:?\d\d)?)?`,
  'i',
);
const NEXT = new RegExp(String.raw`\b(?:resets?|until|again|available|at|by)(?: (?:at|on|after|by))?:? ${TIME}`, 'i');
const ZONE = /\(([A-Z][\w/+-]+)\)|\b(UTC|GMT)\b/;

/**
 * When the usage limit ends that an agent's text tells of, in milliseconds since the epoch; undefined if it doesn't say,
 * or if that is too far away. A time without a zone is local, and one without a date is its next occurrence.
 *
 * @param zone the local time zone, by default this machine's
 */
export function resetTime(text: string, now: number, zone?: string): number | undefined {
  const plain = text.slice(0, 4_000).replaceAll(/[\s\u00a0\u202f]+/g, ' ');
  const at = statedTime(plain, now, zoneIn(plain) ?? zone);
  return at >= now - MAX_PAST_MS && at <= now + MAX_WAIT_MS ? Math.max(at, now) : undefined;
}

/** NaN if it isn't stated. */
function statedTime(text: string, now: number, zone: string | undefined): number {
  const epoch = EPOCH.exec(text)?.[1];
  if (epoch !== undefined) {
    return Number(epoch) * 1_000;
  }
  const seconds = SECONDS.exec(text)?.[1];
  const duration = seconds === undefined ? DURATION.exec(text)?.[1] : `${seconds}s`;
  const today = new Date(wallClock(now, zone)).toISOString();
  const date = DATE.exec(text)?.groups;
  if (date !== undefined) {
    const { day = '', name, later = today.slice(0, 4), offset } = date;
    const shown = `${name === undefined ? day : `${name} ${later}`} ${timeOf(date)}`;
    const at = offset === undefined ? inZone(Date.parse(`${shown} UTC`), zone) : Date.parse(`${shown} ${offset}`);
    return name !== undefined && date['later'] === undefined && at < now - MAX_PAST_MS
      ? inZone(Date.parse(`${name} ${Number(later) + 1} ${timeOf(date)} UTC`), zone)
      : at;
  }
  if (duration !== undefined) {
    const parts = [...duration.matchAll(PART)];
    return now + parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 0), 0);
  }
  const next = NEXT.exec(text)?.groups;
  if (next === undefined || (next['half'] ?? next['minute']) === undefined) {
    return NaN;
  }
  const shown = Date.parse(`${today.slice(0, 10)} ${timeOf(next)} UTC`);
  const at = inZone(shown, zone);
  return at < now - MAX_PAST_MS ? inZone(shown + DAY_MS, zone) : at;
}

/** For example, `21:00`; midnight if there is no time. */
function timeOf({ hour = '0', minute = '00', half }: Partial<Record<string, string>>): string {
  const offset = half?.toLowerCase() === 'p' ? 12 : 0;
  return `${half === undefined ? hour : (Number(hour) % 12) + offset}:${minute}`;
}

function zoneIn(text: string): string | undefined {
  const [, named, universal] = ZONE.exec(text) ?? [];
  const zone = universal === undefined ? named : 'UTC';
  try {
    return zone && new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // Words in parentheses that aren't a zone.
    return undefined;
  }
}

/** What clocks in the zone show, as if it were UTC. */
function wallClock(time: number, zone: string | undefined): number {
  const format = { ...(zone !== undefined && { timeZone: zone }), dateStyle: 'short', timeStyle: 'medium' } as const;
  return Date.parse(`${new Date(time).toLocaleString('en-US', format)} UTC`);
}

/** When clocks in the zone show this, given as if it were UTC. */
function inZone(shown: number, zone: string | undefined): number {
  let time = shown;
  // The second round corrects a change of the offset in between.
  for (let round = 0; round < 2; round++) {
    time += shown - wallClock(time, zone);
  }
  return time;
}
