import type { JSX } from 'preact';
import { useTools } from '../context';
import type { Bar, Layout } from './layout';

interface BarsProps {
  layout: Layout;
  top: number;
  height: number;
}

/** About how wide a letter of a label is, in pixels. */
const LETTER = 6.4;

export function Bars({ layout: { bars, breaks }, top, height }: BarsProps): JSX.Element {
  const broken = (bar: Bar): boolean =>
    breaks.some(({ x, width }) => x < bar.x + bar.width - 1 && bar.x < x + width - 1);
  return (
    <g class="bars">
      {bars.map((bar) => (
        <BarDrawn key={`${bar.span.kind} ${bar.span.from}`} {...{ bar, top, height, hasLabel: !broken(bar) }} />
      ))}
      {breaks.map(({ from, to, x, width }) => (
        <Break key={from} {...{ x, width, length: to - from, middle: top + height / 2 }} />
      ))}
    </g>
  );
}

interface BarDrawnProps {
  bar: Bar;
  top: number;
  height: number;
  hasLabel: boolean;
}

function BarDrawn({ bar: { span, x, width, duration }, top, height, hasLabel }: BarDrawnProps): JSX.Element {
  const { format } = useTools();
  const [long, short] = [`${span.text} ${format.duration(duration)}`, format.shortDuration(duration)];
  const label = hasLabel ? [long, short].find((each) => each.length * LETTER + 12 <= width) : undefined;
  const tone = span.kind === 'running' ? (span.tone ?? 'running') : 'plain';
  const middle = top + height / 2;
  return (
    <g class={`span ${span.kind} tone-${tone}`}>
      <title>{span.end === undefined ? long : `${long}\n${span.end}`}</title>
      {span.kind === 'idle' ? (
        <>
          <rect class="reach" {...{ x, y: top, width, height }} />
          <path d={`M${x} ${middle}H${x + width}`} />
        </>
      ) : (
        <rect x={x + 0.5} y={top + 0.5} width={Math.max(1, width - 1)} height={height - 1} rx={3} />
      )}
      {label === undefined ? null : (
        <>
          {span.kind === 'idle' ? <Gap {...{ x: x + width / 2, middle, letters: label.length }} /> : null}
          <text x={x + width / 2} y={middle + 4} text-anchor="middle">
            {label}
          </text>
        </>
      )}
    </g>
  );
}

interface BreakProps {
  x: number;
  width: number;
  length: number;
  middle: number;
}

/** The line is cut by two strokes; between them stands how much is left out, if there is room. */
function Break({ x, width, length, middle }: BreakProps): JSX.Element {
  const { format } = useTools();
  const label = format.shortDuration(length);
  const fits = label.length * LETTER + 18 <= width;
  const half = fits ? (label.length * LETTER) / 2 + 5 : 3;
  const center = x + width / 2;
  const stroke = (at: number): string => `M${at - 3} ${middle + 8}l6 -16`;
  return (
    <g class="break">
      <title>{format.duration(length)}</title>
      <rect x={center - half} y={middle - 14} width={half * 2} height={28} />
      <path d={stroke(center - half) + stroke(center + half)} />
      {fits ? (
        <text x={center} y={middle + 4} text-anchor="middle">
          {label}
        </text>
      ) : null}
    </g>
  );
}

/** Room for a label on a line. */
function Gap({ x, middle, letters }: { x: number; middle: number; letters: number }): JSX.Element {
  const half = (letters * LETTER) / 2 + 3;
  return <rect class="gap" x={x - half} y={middle - 8} width={half * 2} height={16} />;
}
