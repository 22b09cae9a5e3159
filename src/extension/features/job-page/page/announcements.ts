import type { Story, StoryStep } from '../model';

/**
 * What is announced to screen readers while the log grows. Single file reads are left out, or nothing else would be
 * heard.
 */
export interface Announcements {
  /** Keys of the steps that were announced, or that existed before. */
  readonly seen: readonly string[];
  /**
   * Whether the log has been live since the page was opened. The end of the run may arrive with the update that ends
   * it, or later.
   */
  readonly wasLive: boolean;
  /** To be announced: the newest message, permission or note, and how the run ended. */
  readonly texts: readonly string[];
}

/** Maximum length of an announcement, in characters; longer ones would take a minute to read out. */
const LONGEST = 240;

/** @param before undefined for the first log, whose content is not announced */
export function getAnnouncements(story: Story, before: Announcements | undefined): Announcements {
  const steps = story.turns.flatMap(({ turn, steps: all }) => all.map((step) => ({ step, key: `${turn} ${step.id}` })));
  const seen = steps.map(({ key }) => key);
  const wasLive = story.isLive || before?.wasLive === true;
  if (before === undefined || !wasLive) {
    return { seen, wasLive, texts: [] };
  }
  const known = new Set(before.seen);
  const fresh = steps.flatMap(({ step, key }) => (!known.has(key) && isAnnounced(step) ? [step] : []));
  const last = fresh.at(-1);
  // The agent's last message and the end of the run arrive together.
  const words = last?.kind === 'state' ? fresh.findLast(({ kind }) => kind !== 'state') : undefined;
  return { seen, wasLive, texts: [words, last].flatMap((step) => (step === undefined ? [] : [clipped(step.text)])) };
}

function isAnnounced({ kind, tone }: StoryStep): boolean {
  return kind !== 'tool' || tone === 'bad';
}

function clipped(text: string): string {
  const line = text
    .slice(0, 4 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}
