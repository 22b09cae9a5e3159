import type { Scale } from './scale';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Steps that people count in; all but the longest divide a day. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * DAY),
];

export interface Tick {
  readonly time: number;
  /** In pixels. */
  readonly x: number;
  /** What is to be told: the time of day with or without seconds, or only the day. */
  readonly tells: 'seconds' | 'minutes' | 'day';
  /** Another day than that of the tick before: the date is told. */
  readonly isNewDay: boolean;
}

/**
 * The ticks of the axis, `gap` pixels apart at least: the beginning, the first moment after each break, and round local
 * times in between.
 */
export function ticksOf(scale: Scale, width: number, gap: number): Tick[] {
  const step = STEPS.find((each) => each * scale.perMillisecond * width >= gap) ?? 364 * DAY;
  const anchors = spaced(anchorsOf(scale), scale, width, gap);
  const round = scale.stretches
    .filter(({ isBroken }) => !isBroken)
    .flatMap(({ from, to }) => roundTimes(from, to, step))
    .filter((time) => anchors.every((anchor) => Math.abs(scale.at(anchor) - scale.at(time)) * width >= gap));
  const rounded = new Set(spaced(round, scale, width, gap));
  const times = [...anchors, ...rounded].sort((a, b) => a - b);
  return times.map((time, index) => {
    const before = times[index - 1];
    const tells = step >= DAY && rounded.has(time) ? 'day' : step < MINUTE ? 'seconds' : 'minutes';
    return { time, x: scale.at(time) * width, tells, isNewDay: before === undefined || dayOf(before) !== dayOf(time) };
  });
}

function anchorsOf({ stretches }: Scale): number[] {
  return stretches
    .filter(({ isBroken }, index) => !isBroken && (index === 0 || stretches[index - 1]?.isBroken === true))
    .map(({ from }) => from);
}

/** Leaves out what is nearer than the gap to the one before. */
function spaced(times: readonly number[], scale: Scale, width: number, gap: number): number[] {
  const kept: number[] = [];
  for (const time of times) {
    const last = kept.at(-1);
    if (last === undefined || (scale.at(time) - scale.at(last)) * width >= gap) {
      kept.push(time);
    }
  }
  return kept;
}

/** Round local times in a stretch: clocks are changed by quarters of an hour, so a day of 23 hours has its ticks, too. */
function roundTimes(from: number, to: number, step: number): number[] {
  const times: number[] = [];
  if (step >= DAY) {
    for (let day = startOfDay(from); day <= to; day = nextDay(day, step / DAY)) {
      times.push(day);
    }
    return times.filter((day) => day >= from);
  }
  const unit = Math.min(step, QUARTER);
  const offset = new Date(from).getTimezoneOffset() * MINUTE;
  for (let time = Math.ceil((from - offset) / unit) * unit + offset; time <= to; time += unit) {
    if (isRound(time, step)) {
      times.push(time);
    }
  }
  return times;
}

function isRound(time: number, step: number): boolean {
  const date = new Date(time);
  const ofDay = ((date.getHours() * 60 + date.getMinutes()) * 60 + date.getSeconds()) * SECOND;
  return ofDay % step === 0;
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

function nextDay(day: number, count: number): number {
  const date = new Date(day);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + count).getTime();
}

function dayOf(time: number): string {
  return new Date(time).toDateString();
}
