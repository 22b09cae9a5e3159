import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Entry, Timeline } from '../../model';
import { useTools } from '../context';
import { useFold } from '../folds';
import { Actions } from '../parts/actions';
import { FoldedText } from '../parts/foldedText';
import { Icon, type Sign } from '../parts/icon';
import { Time } from '../parts/time';
import { foldRows, type Row, rowsOf } from './rows';

interface EntryListProps {
  timeline: Timeline;
  now: number;
  /** The one that was picked in the drawing. */
  picked: string | undefined;
}

/** The time line in words, in order; the drawing above it tells nothing more. */
export function EntryList({ timeline, now, picked }: EntryListProps): JSX.Element {
  const { words } = useTools();
  const [isOpen, toggle] = useFold('timeline');
  const rows = rowsOf(timeline);
  const { first, folded, last } = foldRows(rows);
  const hasPicked = folded.some((row) => keysOf(row).includes(picked ?? ''));
  const shown = isOpen || hasPicked ? rows : [...first, ...last];
  const items = shown.map((row, index) => {
    const before = shown[index - 1];
    const isNewDay = before === undefined ? !isSameDay(row.at, now) : !isSameDay(before.at, row.at);
    const isPicked = keysOf(row).includes(picked ?? '');
    return <ListRow key={row.key} {...{ row, now, isNewDay, isPicked }} />;
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

/** The ids of the entries that a row tells. */
function keysOf(row: Row): readonly string[] {
  return row.kind === 'polls' ? row.polls.map(({ id }) => id) : [row.key];
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

interface ListRowProps {
  row: Row;
  now: number;
  isNewDay: boolean;
  isPicked: boolean;
}

function ListRow({ row, now, isNewDay, isPicked }: ListRowProps): JSX.Element {
  const { format } = useTools();
  const className = isPicked ? 'picked' : '';
  if (row.kind === 'entry') {
    return <EntryRow {...{ entry: row.entry, isNewDay, className }} />;
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
    <EntryRow {...{ entry, isNewDay, className }}>
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
  className: string;
  children?: JSX.Element | null;
}

function EntryRow({ entry, isNewDay, className, children }: EntryRowProps): JSX.Element {
  const { format } = useTools();
  const name = useId();
  const { id, at, tone, title, text, duration, actions = [] } = entry;
  return (
    <li class={className} data-entry={id}>
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

/** The sign of what goes on turns; here it has been. */
function signOf({ kind, tone }: Entry): Sign {
  return kind !== 'state' ? kind : tone === 'running' ? 'state' : tone;
}
