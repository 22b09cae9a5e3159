import type { JSX } from 'preact';
import type { Severity } from '../../../presentation/severity';
import type { Action } from '../model';
import { post, useFold, useTools } from './host';

interface TimeProps {
  at: number;
  /** Whether the day differs from that of the preceding time. */
  isNewDay?: boolean;
  id?: string;
}

export function Time({ at, isNewDay = false, id }: TimeProps): JSX.Element {
  const { format } = useTools();
  return (
    <time id={id} dateTime={Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined} title={format.full(at)}>
      {isNewDay ? <span class="day">{format.day(at)} </span> : null}
      {format.time(at)}
    </time>
  );
}

export function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/**
 * Icons as strokes on a 16 by 16 grid. The editor's icon font would need a font source in the content security policy.
 */
const STROKES = {
  running: 'M8 1.75a6.25 6.25 0 1 1-6.25 6.25',
  good: 'M2.75 8.5 6.25 12 13.25 4.5',
  plain: 'M8 2.25a5.75 5.75 0 1 0 .001 0z',
  waiting: 'M8 1.75a6.25 6.25 0 1 0 .001 0zM8 4.5V8l2.5 2',
  warning: 'M8 2 14.5 13.5h-13zM8 6.25v3.5M8 11.4v.4',
  bad: 'M3.75 3.75l8.5 8.5M12.25 3.75l-8.5 8.5',
  prompt: 'M2 3h12v8H7.5L4.5 13.75V11H2z',
  followUp: 'M6.5 3.5 2.5 7.5l4 4M2.5 7.5h7a4 4 0 0 1 4 4v1.5',
  state: 'M8 5a3 3 0 1 0 .001 0z',
  pullRequest:
    'M4 5.5v5M4 2.5a1.5 1.5 0 1 0 .001 0zM4 10.5a1.5 1.5 0 1 0 .001 0zM12 10.5a1.5 1.5 0 1 0 .001 0zM12 10.5V6a2 2 0 0 0-2-2H7.5M9 2.25 7.25 4 9 5.75',
  message: 'M2 3h12v8H7.5L4.5 13.75V11H2z',
  tool: 'M2.5 4 6 8l-3.5 4M8 12.5h5.5',
  permission: 'M8 1.75 13.25 4v4c0 3-2.25 5.25-5.25 6.25C5 13.25 2.75 11 2.75 8V4z',
  note: 'M8 1.75a6.25 6.25 0 1 0 .001 0zM8 7.25v4M8 4.5v.5',
  pending: 'M8 2.75a5.25 5.25 0 1 0 .001 0z',
  file: 'M3.5 1.75h6l3 3v9.5h-9zM9.5 1.75v3h3',
} as const;

export type Sign = keyof typeof STROKES;

interface IconProps {
  sign: Sign;
  tone?: Severity;
}

/** Decorative: the same information is given in text beside it. */
export function Icon({ sign, tone }: IconProps): JSX.Element {
  return (
    <svg class={`icon ${tone === undefined ? '' : `tone-${tone}`} sign-${sign}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={STROKES[sign]} />
    </svg>
  );
}

/** Number of lines of a long text that are shown at first. */
const LINES = 6;
const CHARACTERS = 480;

interface FoldedTextProps {
  text: string;
  /** Key under which the expanded state is stored. */
  fold: string;
  /** Ids of what says which text this is, because a page has several such buttons. */
  describedBy: string;
}

/** Renders a text line by line, each in its own direction; a long text can be expanded. */
export function FoldedText({ text, fold, describedBy }: FoldedTextProps): JSX.Element {
  const { words } = useTools();
  const [isOpen, toggle] = useFold(fold);
  const start = startOf(text);
  const shown = isOpen || start === text ? text : `${start}…`;
  return (
    <div class="text">
      <p dir="auto">{shown}</p>
      {start === text ? null : (
        <button type="button" class="link" aria-expanded={isOpen} aria-describedby={describedBy} onClick={toggle}>
          {isOpen ? words.showLess : words.showAll}
        </button>
      )}
    </div>
  );
}

/** Returns the whole text when it is short, or hardly longer than its preview. */
function startOf(text: string): string {
  const lines = text.slice(0, CHARACTERS).split('\n').slice(0, LINES).join('\n');
  const isLong = text.length > lines.length * 1.2 + 40;
  return isLong ? lines.replace(/[\uD800-\uDBFF]$/, '').trimEnd() : text;
}

/** The `id` of the follow-up field. */
export const FOLLOW_UP_FIELD = 'prompt';

interface ActionsProps {
  actions: readonly Action[];
  /** The entry of the history that the actions belong to. */
  entry?: string;
  /** Id of the element that describes what the actions are for, because the same actions also appear elsewhere. */
  describedBy?: string;
}

export function Actions({ actions, entry, describedBy }: ActionsProps): JSX.Element | null {
  const act = ({ id, entry: own = entry }: Action): void =>
    post({ type: 'action', id, ...(own === undefined ? {} : { entry: own }) });
  return actions.length === 0 ? null : (
    <div class="actions">
      {actions.map((action) => (
        <button
          key={action.id}
          type="button"
          aria-describedby={describedBy}
          class={action.isPrimary === true ? 'primary' : 'secondary'}
          onClick={() => act(action)}
        >
          {action.label}
        </button>
      ))}
    </div>
  );
}
