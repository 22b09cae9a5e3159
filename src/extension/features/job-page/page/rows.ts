import type { Entry, Span, Timeline } from '../model';

/** A row of the list below the bar, in chronological order. */
export type Row =
  | { readonly kind: 'entry'; readonly key: string; readonly at: number; readonly entry: Entry }
  /** Consecutive polls that failed for the same reason are combined. */
  | { readonly kind: 'polls'; readonly key: string; readonly at: number; readonly polls: readonly Entry[] }
  /** Idle time has no entry of its own. */
  | { readonly kind: 'idle'; readonly key: string; readonly at: number; readonly span: Span };

/** With more rows than this, only the first one (the prompt) and the newest ones are shown. */
const MANY = 14;
const NEWEST = 9;

export function rowsOf({ entries, spans }: Timeline): Row[] {
  const idle = spans
    .filter(({ kind }) => kind === 'idle')
    .map((span): Row => ({ kind: 'idle', key: `idle ${span.from}`, at: span.from, span }));
  const rows: Row[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (entry.kind !== 'pollFailed') {
      rows.push({ kind: 'entry', key: entry.id, at: entry.at, entry });
    } else if (last?.kind === 'polls' && last.polls[0]?.title === entry.title && last.polls[0].text === entry.text) {
      rows[rows.length - 1] = { ...last, polls: [...last.polls, entry] };
    } else {
      rows.push({ kind: 'polls', key: entry.id, at: entry.at, polls: [entry] });
    }
  }
  // At the same time, the end of a run comes first.
  return [...rows, ...idle].sort((a, b) => a.at - b.at);
}

/** The rows shown at first; all when there are few. */
export function foldRows(rows: readonly Row[]): {
  first: readonly Row[];
  folded: readonly Row[];
  last: readonly Row[];
} {
  return rows.length <= MANY
    ? { first: rows, folded: [], last: [] }
    : { first: rows.slice(0, 1), folded: rows.slice(1, -NEWEST), last: rows.slice(-NEWEST) };
}
