import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Entry, Span, Timeline } from '../model';
import { useFold, useTools } from './host';
import { Actions, FoldedText, Icon, isSameDay, type Sign, Time } from './parts';
import { foldRows, type Row, rowsOf } from './rows';

interface EntryListProps {
  timeline: Timeline;
  now: number;
}

/** Prompts, runs and their outcomes, in chronological order. */
export function EntryList({ timeline, now }: EntryListProps): JSX.Element {
  const { words } = useTools();
  const [isOpen, toggle] = useFold('timeline');
  const rows = rowsOf(timeline);
  const { first, folded, last } = foldRows(rows);
  const shown = isOpen ? rows : [...first, ...last];
  const items = shown.map((row, index) => {
    const before = shown[index - 1];
    const isNewDay = before === undefined ? !isSameDay(row.at, now) : !isSameDay(before.at, row.at);
    return <ListRow key={row.key} {...{ row, now, isNewDay }} />;
  });
  if (folded.length > 0) {
    const fold = (
      <li key="fold" class="fold">
        <button type="button" class="link" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? words.showLess : `${words.showAll} (${rows.length})`}
        </button>
      </li>
    );
    items.splice(first.length, 0, fold);
  }
  return <ol class="entries">{items}</ol>;
}

interface ListRowProps {
  row: Row;
  now: number;
  isNewDay: boolean;
}

function ListRow({ row, now, isNewDay }: ListRowProps): JSX.Element {
  const { format } = useTools();
  if (row.kind === 'entry') {
    return <EntryRow {...{ entry: row.entry, isNewDay }} />;
  }
  if (row.kind === 'idle') {
    const { from, to = now, text } = row.span;
    return (
      <li class="idle">
        <Time at={from} isNewDay={isNewDay} />
        <Icon sign="idle" />
        <div>
          {text} <span class="duration">{format.duration(to - from)}</span>
        </div>
      </li>
    );
  }
  const [entry] = row.polls;
  const until = row.polls.at(-1);
  return entry === undefined ? (
    <></>
  ) : (
    <EntryRow {...{ entry, isNewDay }}>
      {row.polls.length > 1 && until !== undefined ? (
        <span class="duration">
          × {format.number(row.polls.length)} – <Time at={until.at} isNewDay={!isSameDay(entry.at, until.at)} />
        </span>
      ) : null}
    </EntryRow>
  );
}

interface EntryRowProps {
  entry: Entry;
  isNewDay: boolean;
  children?: JSX.Element | null;
}

function EntryRow({ entry, isNewDay, children }: EntryRowProps): JSX.Element {
  const { format } = useTools();
  const name = useId();
  const { id, at, tone, title, text, duration, actions = [] } = entry;
  return (
    <li data-entry={id}>
      <Time at={at} isNewDay={isNewDay} id={`${name}-at`} />
      <Icon sign={signOf(entry)} tone={tone} />
      <div>
        <bdi class="title" id={name}>
          {title}
        </bdi>{' '}
        {duration === undefined ? null : <span class="duration">{format.duration(duration)}</span>}
        {children}
        {text === undefined || text === '' ? null : <FoldedText text={text} fold={`entry ${id}`} />}
        <Actions actions={actions} entry={id} describedBy={`${name} ${name}-at`} />
      </div>
    </li>
  );
}

/** The icon of a running state spins, which an entry in the list should not. */
function signOf({ kind, tone }: Entry): Sign {
  return kind !== 'state' ? kind : tone === 'running' ? 'state' : tone;
}

/** When the job waited, ran and was idle: a bar, and a list with the same information in text. */
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

/** Hidden from screen readers, because the list has the same information. */
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
  // Limit idle time to half of the width: there may be days between two runs.
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

/** The current time, updated every second while something runs and the page is visible. */
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
