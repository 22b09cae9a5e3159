import type { Story, StoryStep } from '../../model';

/** What a screen reader is told of a story that goes on: not each file that is read, or nothing else would be heard. */
export interface News {
  /** Of the newest step that was told, or was there before. */
  readonly seen: readonly string[];
  /** To be told: the newest message, permission or note, and how the run ended. */
  readonly text?: string | undefined;
}

/** More letters would take a minute to be read out. */
const LONGEST = 240;

/** @param seen undefined for the first story: what was there before the page is no news */
export function newsOf(story: Story, seen: readonly string[] | undefined): News {
  const steps = story.turns.flatMap(({ turn, steps: all }) => all.map((step) => ({ step, key: `${turn} ${step.id}` })));
  const keys = steps.map(({ key }) => key);
  if (seen === undefined) {
    return { seen: keys };
  }
  const known = new Set(seen);
  const fresh = story.isLive ? steps.filter(({ step, key }) => !known.has(key) && isTold(step)) : [];
  const told = fresh.at(-1)?.step.text;
  return { seen: keys, text: told === undefined ? undefined : clipped(told) };
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
