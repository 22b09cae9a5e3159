import type { JSX } from 'preact';
import { useTools } from '../context';
import type { Layout } from './layout';
import type { Tick } from './ticks';

interface AxisProps {
  ticks: readonly Tick[];
  top: number;
  width: number;
  breaks: Layout['breaks'];
  /** The word at the right end, while the job runs. */
  now: string;
}

/** Nearer than this to an edge, a label stands beside its tick. */
const EDGE = 34;

export function Axis({ ticks, top, width, breaks, now }: AxisProps): JSX.Element {
  const room = now === '' ? width : width - now.length * 7 - EDGE;
  return (
    <g class="axis">
      <path d={lineOf(breaks, top, width)} />
      {ticks.map((tick) => (
        <TickDrawn key={tick.time} {...{ tick, top, width, hasLabel: tick.x <= room || tick.x === 0 }} />
      ))}
      {now === '' ? null : (
        <g class="now">
          <path d={`M${width - 0.5} ${top}v5`} />
          <text x={width} y={top + 17} text-anchor="end">
            {now}
          </text>
        </g>
      )}
    </g>
  );
}

interface TickDrawnProps {
  tick: Tick;
  top: number;
  width: number;
  hasLabel: boolean;
}

function TickDrawn({ tick: { x, time, tells, isNewDay }, top, width, hasLabel }: TickDrawnProps): JSX.Element {
  const { format } = useTools();
  const anchor = x < EDGE ? 'start' : x > width - EDGE ? 'end' : 'middle';
  const first =
    tells === 'day' ? format.day(time) : tells === 'seconds' ? format.timeWithSeconds(time) : format.time(time);
  const at = Math.min(Math.max(Math.round(x) + 0.5, 0.5), width - 0.5);
  const place = { x: anchor === 'start' ? 0 : anchor === 'end' ? width : x, 'text-anchor': anchor } as const;
  return (
    <g>
      <path d={`M${at} ${top}v5`} />
      {hasLabel ? (
        <text {...place} y={top + 17}>
          {first}
        </text>
      ) : null}
      {hasLabel && isNewDay && tells !== 'day' ? (
        <text {...place} y={top + 30} class="date">
          {format.day(time)}
        </text>
      ) : null}
    </g>
  );
}

/** The line of the axis, open where time is cut short. */
function lineOf(breaks: Layout['breaks'], top: number, width: number): string {
  const starts = [0, ...breaks.map((each) => each.x + each.width)];
  const ends = [...breaks.map(({ x }) => x), width];
  return starts.map((start, index) => `M${start} ${top + 0.5}H${ends[index] ?? width}`).join('');
}
