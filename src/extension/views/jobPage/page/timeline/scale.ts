import type { Span, Timeline } from '../../model';

/** A piece of the time line. Times in milliseconds, `start` and `end` as shares of the width. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  /** It is longer than it is drawn. */
  readonly isBroken: boolean;
}

/** Where a moment stands. All stretches that are not broken have the same scale, but brief pauses, which have no width. */
export interface Scale {
  readonly stretches: readonly Stretch[];
  /** From 0 to 1; what lies outside stands at the edge. */
  readonly at: (time: number) => number;
  /** Share of the width that a millisecond takes where the line is not broken. */
  readonly perMillisecond: number;
}

/** The shortest time that is drawn: a job that has just begun. */
const MIN_LENGTH = 1000;

/** The share of one break, and of all breaks together at most. */
const BREAK = 0.07;
const ALL_BREAKS = 0.3;

/** Nothing shorter is cut: seconds beside a run of seconds are to be seen as what they are. In milliseconds. */
const SHORTEST_BREAK = 2 * 60_000;

/** How many times as long as the watched runs all the rest may be before anything is cut: these still have a fifth. */
const MUCH_QUIET = 4;

interface Piece {
  from: number;
  to: number;
  /** How much of it is drawn where it is not broken, in milliseconds. */
  length: number;
  isQuiet: boolean;
}

/**
 * Draws time to scale, with breaks: a follow-up two days later must not squeeze the runs to nothing. Broken are the
 * longest stretches in which no run was watched, where these leave the watched runs less than a fifth, and only until
 * the runs have half of what is drawn to scale.
 */
export function scaleOf(timeline: Timeline, now: number): Scale {
  const pieces = piecesOf(timeline, now);
  const broken = brokenOf(pieces);
  const share = broken.size === 0 ? 0 : shareOfBreak(broken.size);
  // Runs that ended in the moment in which they began have no length.
  const drawn = Math.max(1, sum(pieces.filter((piece) => !broken.has(piece))));
  const perMillisecond = (1 - share * broken.size) / drawn;
  const stretches: Stretch[] = [];
  let start = 0;
  for (const piece of pieces) {
    const { from, to, length } = piece;
    const isBroken = broken.has(piece);
    const end = piece === pieces.at(-1) ? 1 : start + (isBroken ? share : length * perMillisecond);
    stretches.push({ from, to, start, end, isBroken });
    start = end;
  }
  return { stretches, perMillisecond, at: (time) => placeOf(stretches, time) };
}

/** Whether a pause is told as one of 0 seconds: beside a run it is not drawn. */
export function isBrief({ spans }: Timeline, { kind, from, to }: Span): boolean {
  const isPause = kind === 'waiting' || kind === 'idle';
  return isPause && to !== undefined && to - from < MIN_LENGTH && spans.some((span) => span.kind === 'running');
}

/** When the time line begins and ends: with all that is on it, whatever its own borders say. */
export function reachOf({ from, to, spans, entries }: Timeline, now: number): { from: number; to: number } {
  const times = [...spans.flatMap((span) => [span.from, span.to ?? now]), ...entries.map(({ at }) => at)];
  const first = times.reduce((least, time) => Math.min(least, time), from);
  const last = times.reduce((most, time) => Math.max(most, time), to ?? now);
  return { from: first, to: Math.max(last, first + MIN_LENGTH) };
}

/** Cuts the time where something begins, ends or happens; failed polls happen all the time. */
function piecesOf(timeline: Timeline, now: number): Piece[] {
  const { from, to } = reachOf(timeline, now);
  const ends = timeline.spans.flatMap((span) => [span.from, span.to ?? now]);
  const moments = timeline.entries.filter(({ kind }) => kind !== 'pollFailed').map(({ at }) => at);
  const cuts = [...new Set([from, ...ends, ...moments, to])].sort((a, b) => a - b);
  const isIn = (kinds: readonly string[], time: number): boolean =>
    timeline.spans.some((span) => kinds.includes(span.kind) && span.from <= time && time < (span.to ?? to));
  const brief = timeline.spans.filter((span) => isBrief(timeline, span));
  return cuts.slice(1).map((end, index) => {
    const start = cuts[index] ?? from;
    const middle = (start + end) / 2;
    const isDrawn = !brief.some((span) => span.from <= middle && middle < (span.to ?? to));
    return {
      from: start,
      to: end,
      length: isDrawn ? end - start : 0,
      isQuiet: !isIn(['running'], middle) || isIn(['unchecked'], middle),
    };
  });
}

/** The longest quiet pieces, until the others take no more than half, and only where the breaks make them shorter. None where it is not needed. */
function brokenOf(pieces: readonly Piece[]): Set<Piece> {
  const watched = sum(pieces.filter(({ isQuiet }) => !isQuiet));
  const quiet = pieces.filter(({ isQuiet }) => isQuiet).sort((a, b) => lengthOf(b) - lengthOf(a));
  const most = quiet.filter((piece) => lengthOf(piece) >= SHORTEST_BREAK).length;
  let left = sum(quiet);
  if (watched === 0 || left <= MUCH_QUIET * watched) {
    return new Set();
  }
  let count = 0;
  for (; left > watched && count < most; count++) {
    left -= lengthOf(quiet[count]);
  }
  for (; count > 0; count--) {
    const share = shareOfBreak(count);
    const perMillisecond = (1 - share * count) / (watched + left);
    const shortest = lengthOf(quiet[count - 1]);
    if (shortest * perMillisecond > 1.5 * share) {
      break;
    }
    left += shortest;
  }
  return new Set(quiet.slice(0, count));
}

function lengthOf(piece: Piece | undefined): number {
  return piece?.length ?? 0;
}

function shareOfBreak(count: number): number {
  return Math.min(BREAK, ALL_BREAKS / Math.max(1, count));
}

function sum(pieces: readonly Piece[]): number {
  return pieces.reduce((all, { length }) => all + length, 0);
}

function placeOf(stretches: readonly Stretch[], time: number): number {
  const stretch = stretches.find(({ to }) => time <= to) ?? stretches.at(-1);
  if (stretch === undefined) {
    return 0;
  }
  const { from, to, start, end } = stretch;
  const share = Math.min(1, Math.max(0, (time - from) / (to - from)));
  return start + (end - start) * share;
}
