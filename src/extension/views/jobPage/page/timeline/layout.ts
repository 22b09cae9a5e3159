import type { Entry, Span, Timeline } from '../../model';
import { type Mark, stackMarks, type Strip, stripsOf } from './marks';
import { isBrief, scaleOf, type Stretch } from './scale';
import { type Tick, ticksOf } from './ticks';

/** The drawing of a time line, in pixels from its left edge. */
export interface Layout {
  readonly bars: readonly Bar[];
  /** Where polls failed for a while; drawn below the bars. */
  readonly unchecked: readonly Bar[];
  readonly breaks: readonly (Stretch & { readonly x: number; readonly width: number })[];
  readonly marks: readonly Mark[];
  /** How many marks stand on each other at most. */
  readonly lanes: number;
  readonly strips: readonly Strip[];
  readonly ticks: readonly Tick[];
  /** How long all that is cut short was, in milliseconds. */
  readonly cut: number;
}

export interface Bar {
  readonly span: Span;
  readonly x: number;
  readonly width: number;
  /** In milliseconds. */
  readonly duration: number;
}

/** Between two ticks there is room for a time of day with a date below. */
const TICK_GAP = 84;

/** A mark with the air around it. */
export const MARK_SIZE = 20;

/** A run of a second in a day of runs is still seen. */
const MIN_BAR = 3;

export function layOut(timeline: Timeline, now: number, width: number): Layout {
  const scale = scaleOf(timeline, now);
  const place = (time: number): number => scale.at(time) * width;
  const end = timeline.to ?? now;
  const seen = timeline.spans.filter((span) => !isBrief(timeline, span));
  const bars = seen.map((span): Bar => {
    const { from, to = Math.max(end, span.from) } = span;
    const length = Math.max(MIN_BAR, place(to) - place(from));
    return { span, x: Math.min(place(from), width - length), width: length, duration: to - from };
  });
  const breaks = scale.stretches
    .filter(({ isBroken }) => isBroken)
    .map((each) => ({ ...each, x: each.start * width, width: (each.end - each.start) * width }));
  const single = timeline.entries.filter((entry) => isMarked(entry));
  // A mark is seen as a whole at the edge, too.
  const inside = (x: number): number => Math.min(Math.max(x, MARK_SIZE / 2), width - MARK_SIZE / 2);
  const marks = stackMarks(
    single.map((what) => ({ x: inside(place(what.at)), what })),
    MARK_SIZE,
  );
  const polls = timeline.entries.filter(({ kind }) => kind === 'pollFailed').map(({ at }) => place(at));
  return {
    bars: bars.filter(({ span }) => span.kind !== 'unchecked'),
    unchecked: bars.filter(({ span }) => span.kind === 'unchecked'),
    breaks,
    marks,
    lanes: marks.reduce((most, { lane }) => Math.max(most, lane + 1), 1),
    strips: stripsOf(polls, 3),
    ticks: ticksOf(scale, width, TICK_GAP),
    cut: breaks.reduce((length, { from, to }) => length + to - from, 0),
  };
}

/** That a run begins is seen by its bar; how it ended has a mark, unless it ended well. */
function isMarked({ kind, tone }: Entry): boolean {
  return kind === 'state' ? tone === 'bad' || tone === 'warning' : kind !== 'pollFailed';
}
