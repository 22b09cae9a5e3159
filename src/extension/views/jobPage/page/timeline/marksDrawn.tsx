import type { JSX } from 'preact';
import type { Entry } from '../../model';
import { useTools } from '../context';
import { strokesOf } from '../parts/icon';
import { MARK_SIZE } from './layout';
import type { Mark } from './marks';

interface MarksProps {
  marks: readonly Mark[];
  /** Where the bars begin: the marks stand above. */
  top: number;
  onPick: (entry: string) => void;
}

/** The entries as signs above the moments that they belong to; a click leads to the words. */
export function Marks({ marks, top, onPick }: MarksProps): JSX.Element {
  return (
    <g class="marks">
      {marks.map((mark) => (
        <MarkDrawn key={mark.all[0]?.id} {...{ mark, top, onPick }} />
      ))}
    </g>
  );
}

function MarkDrawn({ mark: { x, lane, all }, top, onPick }: { mark: Mark } & Omit<MarksProps, 'marks'>): JSX.Element {
  const { format } = useTools();
  const [first] = all;
  if (first === undefined) {
    return <g />;
  }
  const y = top - (lane + 1) * MARK_SIZE - 1;
  const tell = ({ title, at }: Entry): string => `${format.time(at)} ${title}`;
  return (
    <g class={`mark tone-${first.tone}`} onClick={() => onPick(first.id)}>
      <title>{all.slice(0, 12).map(tell).join('\n')}</title>
      <path class="stem" d={`M${x} ${y + 17}V${top}`} />
      <rect x={x - 9} y={y} width={18} height={18} rx={9} />
      {all.length === 1 ? (
        <path class="sign" transform={`translate(${x - 6} ${y + 3}) scale(0.75)`} d={strokesOf(signOf(first))} />
      ) : (
        <text x={x} y={y + 13} text-anchor="middle">
          {format.number(all.length)}
        </text>
      )}
    </g>
  );
}

function signOf({ kind, tone }: Entry): Parameters<typeof strokesOf>[0] {
  return kind === 'state' ? tone : kind;
}
