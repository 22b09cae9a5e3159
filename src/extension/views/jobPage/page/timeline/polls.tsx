import type { JSX } from 'preact';
import { useTools } from '../context';
import type { Layout } from './layout';

interface PollsProps {
  layout: Layout;
  top: number;
  height: number;
}

/** When nothing was heard of the job: how long, and each poll that failed. */
export function Polls({ layout: { unchecked, strips }, top, height }: PollsProps): JSX.Element {
  const { format } = useTools();
  return (
    <g class="polls tone-warning">
      {unchecked.map(({ span, x, width, duration }) => (
        <g key={span.from}>
          <title>{`${span.text} ${format.duration(duration)}`}</title>
          <rect class="unchecked" x={x} y={top + height / 2 - 1} width={width} height={2} />
        </g>
      ))}
      {strips.map(({ from, to, count }) => (
        <g key={from}>
          <title>{`× ${format.number(count)}`}</title>
          <rect x={from - 1} y={top} width={to - from + 2} height={height} rx={1} />
        </g>
      ))}
    </g>
  );
}
