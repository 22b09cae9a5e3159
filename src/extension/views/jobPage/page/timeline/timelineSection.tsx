import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Timeline } from '../../model';
import { useTools } from '../context';
import { EntryList } from './entryList';
import { useNow } from './useNow';

export function TimelineSection({ timeline }: { timeline: Timeline }): JSX.Element {
  const { words } = useTools();
  const now = useNow(timeline.to === undefined);
  const [picked] = useState<string>();
  return (
    <section class="timeline" aria-labelledby="timeline">
      <h2 id="timeline">{words.timeline}</h2>
      <EntryList {...{ timeline, now, picked }} />
    </section>
  );
}
