import type { ActivityStep } from '../model';

/** Longer announcements would take a minute to read out. In characters. */
const LONGEST = 240;

/**
 * Returns what is announced to screen readers of an activity log that has grown: the newest message, permission or
 * note, and how the run ended. Tool calls are left out, or nothing else would be heard.
 *
 * @param seen the id of the last known step
 */
export function getAnnouncements(steps: readonly ActivityStep[], seen: number): ActivityStep[] {
  const fresh = steps.filter(({ id, kind }) => id > seen && kind !== 'tool');
  const last = fresh.at(-1);
  // The agent's last message and the end of the run arrive together.
  const message = last?.kind === 'state' ? fresh.findLast(({ kind }) => kind !== 'state') : undefined;
  return [message, last].flatMap((step) => (step === undefined ? [] : [{ ...step, text: clipped(step.text) }]));
}

function clipped(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}
