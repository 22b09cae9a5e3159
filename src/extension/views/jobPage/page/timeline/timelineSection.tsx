import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Span, Timeline } from '../../model';
import { useTools } from '../context';
import { isSameDay, Time } from '../parts';
import { EntryList } from './entryList';

/** When the job waited, ran and was idle: one bar, and below it the same in words. */
export function TimelineSection({ timeline }: { timeline: Timeline }): JSX.Element {
  const { words } = useTools();
  const now = useNow(timeline.to === undefined);
  return (
    <section class="timeline" aria-labelledby="timeline">
      <h2 id="timeline">{words.timeline}</h2>
      <TimelineBar {...{ timeline, now }} />
      <EntryList {...{ timeline, now }} />
    </section>
  );
}

/** Hidden from screen readers: the list says all of it. */
function TimelineBar({ timeline: { from, to, spans }, now }: { timeline: Timeline; now: number }): JSX.Element | null {
  const { words, format } = useTools();
  const end = to ?? now;
  const segments = spans
    .filter(({ kind }) => kind !== 'unchecked')
    .map((span) => ({ span, duration: Math.max(0, (span.to ?? end) - span.from) }));
  if (!segments.some(({ span }) => span.kind === 'running')) {
    return null;
  }
  const total = (isIdle: boolean): number =>
    segments.reduce((sum, { span, duration }) => sum + ((span.kind === 'idle') === isIdle ? duration : 0), 0);
  // Days between two runs leave the runs half of the width.
  const idleScale = Math.min(1, total(false) / Math.max(1, total(true)));
  return (
    <div class="overview" aria-hidden="true">
      <div class="bar">
        {segments.map(({ span, duration }) => (
          <div
            key={`${span.kind} ${span.from}`}
            class={`span ${span.kind} tone-${span.tone ?? 'plain'}`}
            title={describe(span, format.duration(duration))}
            style={{ flexGrow: String(Math.max(1, duration * (span.kind === 'idle' ? idleScale : 1))) }}
          />
        ))}
      </div>
      <div class="ends">
        <Time at={from} isNewDay={!isSameDay(from, now)} />
        {to === undefined ? <span>{words.now}</span> : <Time at={to} isNewDay={!isSameDay(to, now)} />}
      </div>
    </div>
  );
}

function describe({ text, end }: Span, duration: string): string {
  return end === undefined ? `${text} ${duration}` : `${text} ${duration}\n${end}`;
}

/** The time, once a second while something runs and the page is visible. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) {
      return undefined;
    }
    let timer: ReturnType<typeof setInterval> | undefined;
    const tick = (): void => setNow(Date.now());
    const follow = (): void => {
      clearInterval(timer);
      timer = undefined;
      if (document.visibilityState === 'visible') {
        tick();
        timer = setInterval(tick, 1000);
      }
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', follow);
    };
  }, [isRunning]);
  return now;
}
