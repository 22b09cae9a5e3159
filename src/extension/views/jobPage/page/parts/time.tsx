import type { JSX } from 'preact';
import { useTools } from '../context';

interface TimeProps {
  at: number;
  /** Another day than that of the time before it. */
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
