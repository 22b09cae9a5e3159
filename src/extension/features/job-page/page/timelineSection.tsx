import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Entry, Timeline } from '../model';
import { useFold, useTools } from './host';
import { Actions, FoldedText, Icon, isSameDay, type Sign, Time } from './parts';
import { foldRows, type Row, rowsOf } from './rows';

/** When the job waited, ran and was idle: a bar to scale, and a list with the same information in text. */
export function TimelineSection({ timeline }: { timeline: Timeline }): JSX.Element {
  const { words } = useTools();
  const now = useNow(timeline.to === undefined);
  const [isOpen, toggle] = useFold('timeline');
  const rows = rowsOf(timeline);
  const { first, folded, last } = foldRows(rows);
  const shown = isOpen ? rows : [...first, ...last];
  const items = shown.map((row, index) => (
    <ListRow key={row.key} {...{ row, now, isNewDay: !isSameDay(row.at, shown[index - 1]?.at ?? now) }} />
  ));
  const fold = (
    <li key="fold" class="fold">
      <button type="button" class="link" aria-expanded={isOpen} onClick={toggle}>
        {isOpen ? words.showLess : `${words.showAll} (${rows.length})`}
      </button>
    </li>
  );
  return (
    <section class="timeline" aria-labelledby="timeline">
      <h2 id="timeline">{words.timeline}</h2>
      <TimelineBar {...{ timeline, now }} />
      <ol class="entries">{items.toSpliced(first.length, 0, ...(folded.length > 0 ? [fold] : []))}</ol>
    </section>
  );
}

function ListRow({ row, now, isNewDay }: { row: Row; now: number; isNewDay: boolean }): JSX.Element {
  const { format } = useTools();
  const name = useId();
  const describedBy = `${name} ${name}-at`;
  const polls = row.kind === 'polls' ? row.polls : [];
  const entry = row.kind === 'entry' ? row.entry : polls[0];
  const idle = row.kind === 'idle' ? row.span : undefined;
  const duration = idle === undefined ? entry?.duration : (idle.to ?? now) - idle.from;
  const until = polls.at(-1)?.at ?? row.at;
  return (
    <li class={row.kind} data-entry={entry?.id}>
      <Time at={row.at} isNewDay={isNewDay} id={`${name}-at`} />
      {entry === undefined ? <Icon sign="idle" /> : <Icon sign={signOf(entry)} tone={entry.tone} />}
      <div>
        <bdi class="title" id={name}>
          {entry?.title ?? idle?.text}
        </bdi>{' '}
        {duration === undefined ? null : <span class="duration">{format.duration(duration)}</span>}
        {polls.length > 1 ? (
          <span class="duration">
            × {format.number(polls.length)} – <Time at={until} isNewDay={!isSameDay(row.at, until)} />
          </span>
        ) : null}
        {(entry?.text ?? '') === '' ? null : (
          <FoldedText text={entry?.text ?? ''} fold={`entry ${entry?.id ?? ''}`} describedBy={describedBy} />
        )}
        {entry && <Actions actions={entry.actions ?? []} entry={entry.id} describedBy={describedBy} />}
      </div>
    </li>
  );
}

/** The icon of a running state spins, which an entry in the list should not. */
function signOf({ kind, tone }: Entry): Sign {
  return kind !== 'state' ? kind : tone === 'running' ? 'state' : tone;
}

/** Hidden from screen readers, because the list has the same information. */
function TimelineBar({ timeline: { to, spans }, now }: { timeline: Timeline; now: number }) {
  const { format } = useTools();
  const end = to ?? now;
  const shown = spans.filter(({ kind }) => kind !== 'unchecked');
  const segments = shown.map((span) => ({ span, duration: Math.max(0, (span.to ?? end) - span.from) }));
  const total = (isIdle: boolean): number =>
    segments.reduce((sum, { span, duration }) => sum + ((span.kind === 'idle') === isIdle ? duration : 0), 0);
  // Limit idle time to half of the width: there may be days between two runs.
  const idleScale = Math.min(1, total(false) / Math.max(1, total(true)));
  return !shown.some(({ kind }) => kind === 'running') ? null : (
    <div class="bar" aria-hidden="true">
      {segments.map(({ span: { kind, tone = 'plain', text, end: outcome, from: start }, duration }) => (
        <div
          key={`${kind} ${start}`}
          class={`span ${kind} tone-${tone}`}
          title={[`${text} ${format.duration(duration)}`, outcome ?? ''].join('\n').trim()}
          style={{ flexGrow: String(Math.max(1, duration * (kind === 'idle' ? idleScale : 1))) }}
        />
      ))}
    </div>
  );
}

/** The current time, updated every second while something runs. The editor destroys a page that is not visible. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    const timer = isRunning ? setInterval(() => setNow(Date.now()), 1000) : undefined;
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
