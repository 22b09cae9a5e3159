import type { ActivityStep } from '../model';

/** Longer announcements would take a minute to read out. In characters. */
const LONGEST = 240;

/**
 * Returns what is announced to screen readers of an activity log that has grown: the newest message, permission, or
 * note. Tool calls are left out, or nothing else would be heard.
 *
 * @param seen the id of the last known step
 */
export function getAnnouncement(steps: readonly ActivityStep[], seen: number): string | undefined {
  const last = steps.findLast(({ id, kind }) => id > seen && kind !== 'tool');
  return last && clipped(last.text);
}

function clipped(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}
