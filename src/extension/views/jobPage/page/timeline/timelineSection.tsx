import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Timeline } from '../../model';
import { useTools } from '../context';
import { Drawing } from './drawing';
import { EntryList } from './entryList';
import { useNow } from './useNow';

export function TimelineSection({ timeline }: { timeline: Timeline }): JSX.Element {
  const { words } = useTools();
  const now = useNow(timeline.to === undefined);
  const [picked, pick] = useState<string>();
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    section.current?.querySelector('.picked')?.scrollIntoView({ block: 'nearest' });
  }, [picked]);
  return (
    <section ref={section} class="timeline" aria-labelledby="timeline">
      <h2 id="timeline">{words.timeline}</h2>
      <Drawing {...{ timeline, now }} onPick={(entry) => pick(entry === picked ? undefined : entry)} />
      <EntryList {...{ timeline, now, picked }} />
    </section>
  );
}
