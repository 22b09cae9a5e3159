import type { Story, StoryStep } from '../model';

/** What a screen reader is told of a story that goes on: not each file that is read, or nothing else would be heard. */
export interface News {
  /** Of the newest step that was told, or was there before. */
  readonly seen: readonly string[];
  /** Whether it has gone on since the page was opened: its end comes with the story that goes on no more, or after it. */
  readonly wasLive: boolean;
  /** To be told: the newest message, permission or note, and how the run ended. */
  readonly texts: readonly string[];
}

/** More letters would take a minute to be read out. */
const LONGEST = 240;

/** @param before undefined for the first story: what was there before the page is no news */
export function newsOf(story: Story, before: News | undefined): News {
  const steps = story.turns.flatMap(({ turn, steps: all }) => all.map((step) => ({ step, key: `${turn} ${step.id}` })));
  const seen = steps.map(({ key }) => key);
  const wasLive = story.isLive || before?.wasLive === true;
  if (before === undefined || !wasLive) {
    return { seen, wasLive, texts: [] };
  }
  const known = new Set(before.seen);
  const fresh = steps.flatMap(({ step, key }) => (!known.has(key) && isTold(step) ? [step] : []));
  const last = fresh.at(-1);
  // The last words and the end come together.
  const words = last?.kind === 'state' ? fresh.findLast(({ kind }) => kind !== 'state') : undefined;
  return { seen, wasLive, texts: [words, last].flatMap((step) => (step === undefined ? [] : [clipped(step.text)])) };
}

function isTold({ kind, tone }: StoryStep): boolean {
  return kind !== 'tool' || tone === 'bad';
}

function clipped(text: string): string {
  const line = text
    .slice(0, 4 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}
