import type { JSX } from 'preact';
import type { Timeline } from '../../model';
import { useTools } from '../context';
import { Axis } from './axis';
import { Bars } from './bars';
import { layOut, MARK_SIZE } from './layout';
import { Marks } from './marksDrawn';
import { Polls } from './polls';
import { useWidth } from './useWidth';

/** Heights in pixels. */
const BAR = 26;
const POLLS = 10;
const AXIS = 36;

interface DrawingProps {
  timeline: Timeline;
  now: number;
  /** Called with the id of the entry whose mark was clicked. */
  onPick: (entry: string) => void;
}

/** The time line to scale. The list below tells the same, so it is hidden from those who can't see it. */
export function Drawing({ timeline, now, onPick }: DrawingProps): JSX.Element {
  const { words, format } = useTools();
  const [box, width] = useWidth();
  if (width === 0) {
    return <div ref={box} class="drawing" />;
  }
  const layout = layOut(timeline, now, width);
  const hasPolls = layout.strips.length + layout.unchecked.length > 0;
  const top = layout.lanes * MARK_SIZE + 4;
  const below = top + BAR + (hasPolls ? POLLS : 0);
  return (
    <div ref={box} class="drawing" aria-hidden="true">
      <svg width={width} height={below + AXIS} viewBox={`0 0 ${width} ${below + AXIS}`}>
        <Bars {...{ layout, top, height: BAR }} />
        {hasPolls ? <Polls {...{ layout, top: top + BAR + 3, height: POLLS - 4 }} /> : null}
        <Axis
          {...{
            ticks: layout.ticks,
            top: below + 4,
            width,
            breaks: layout.breaks,
            now: timeline.to === undefined ? words.now : '',
          }}
        />
        <Marks {...{ marks: layout.marks, top, onPick }} />
      </svg>
      {layout.cut === 0 ? null : <p class="cut">{words.notToScale.replace('{0}', format.duration(layout.cut))}</p>}
    </div>
  );
}
