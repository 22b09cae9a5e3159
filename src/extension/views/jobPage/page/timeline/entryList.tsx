import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Entry, Timeline } from '../../model';
import { useFold, useTools } from '../context';
import { Actions, FoldedText, Icon, type Sign, Time, isSameDay } from '../parts';
import { foldRows, type Row, rowsOf } from './rows';

interface EntryListProps {
  timeline: Timeline;
  now: number;
}

/** Prompts, runs and what became of them, in order of time. */
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

/** The icon of a running state spins, which an entry of the list must not. */
function signOf({ kind, tone }: Entry): Sign {
  return kind !== 'state' ? kind : tone === 'running' ? 'state' : tone;
}
