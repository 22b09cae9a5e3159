import { type JobEvent, type SendFailureReason, type Snapshot, type RecordedEvent, isNews } from './events';
import {
  type OutgoingPrompt,
  type TrackedJob,
  reduceEvents,
  reduceEvent,
  isInProgress,
  isFinished,
  pendingCreate,
  pendingSends,
} from './trackedJob';
import { type UncheckedSpan, clipSpan } from './uncheckedLog';
import { isHeld } from './waiting';

/** What happened to a job and when. Times are wall times in milliseconds and never decrease between events. */
export interface JobHistory {
  readonly from: number;
  /** Absent while something is in progress. */
  readonly to?: number | undefined;
  /** Ordered by start. */
  readonly spans: readonly HistorySpan[];
  /** Ordered by time. */
  readonly moments: readonly Moment[];
}

export type HistorySpan = { readonly from: number; readonly to?: number | undefined } & (
  | { readonly kind: 'waiting' | 'idle' }
  /** `end` is the snapshot at the end of the run; absent if a follow-up superseded the run, and while it is running. */
  | { readonly kind: 'running'; readonly end?: Snapshot | undefined }
  /** Without `failure`, the job was not checked because it was not in the list. */
  | { readonly kind: 'unchecked'; readonly failure?: UncheckedSpan['failure'] | undefined }
);

/** Why a prompt was not sent, for one attempt or several in a row. */
export interface Outcome {
  readonly type: 'rejected' | 'notSent' | 'throttled' | 'unconfirmed' | 'discarded';
  readonly reason?: SendFailureReason | undefined;
}

export type Moment = { readonly at: number; readonly id: string } & (
  | { readonly kind: 'prompt'; readonly send: OutgoingPrompt }
  /** `isPast` is true once the prompt had a later outcome, was sent, or was discarded. */
  | {
      readonly kind: 'outcome';
      readonly send: OutgoingPrompt;
      readonly outcome: Outcome;
      readonly times: number;
      readonly isPast: boolean;
    }
  /** A run began; `to` is when it ended or another run replaced it. */
  | { readonly kind: 'began'; readonly to?: number | undefined }
  | { readonly kind: 'ended'; readonly snapshot: Snapshot; readonly isNewLink: boolean }
  /** A different status or pull request while the job is running. */
  | { readonly kind: 'status'; readonly snapshot: Snapshot }
  | { readonly kind: 'pullRequest'; readonly snapshot: Snapshot }
  | { readonly kind: 'tracked'; readonly snapshot: Snapshot }
  /** A follow-up sent from elsewhere began another run. */
  | { readonly kind: 'resumed' }
  | { readonly kind: 'removed' | 'restored' }
  | { readonly kind: 'unchecked'; readonly span: UncheckedSpan }
);

type Drafted<T> = T extends unknown ? Omit<T, 'at' | 'id'> : never;

/**
 * Builds the history of a job.
 *
 * @param job the job reduced from all its events, claims included
 * @param events ordered by stamp
 * @param unchecked when the job could not be checked, as far as known
 */
export function jobHistory(
  job: TrackedJob,
  events: readonly RecordedEvent[],
  unchecked: readonly UncheckedSpan[] = [],
): JobHistory {
  const builder = new HistoryBuilder(job);
  for (const { stamp, event } of events) {
    if (event.type !== 'go' && isNews(event)) {
      builder.take(stamp, event);
    }
  }
  return builder.finish(unchecked);
}

/** The phase a job is in. Spans are delimited by changes of phase. */
interface Phase {
  kind: 'waiting' | 'running' | 'idle' | 'none';
  run: string;
}

const NOTHING: Phase = { kind: 'none', run: '' };

class HistoryBuilder {
  private readonly spans: HistorySpan[] = [];
  private readonly moments: Moment[] = [];
  private seen: TrackedJob | undefined;
  private phase = NOTHING;
  private since = 0;
  private removedAt: number | undefined;
  private first: number | undefined;
  private last = 0;

  constructor(private readonly job: TrackedJob) {}

  take(stamp: string, event: JobEvent): void {
    const before = this.seen;
    const after = before === undefined ? reduceEvents(this.job.key, [{ stamp, event }]) : reduceEvent(before, event);
    if (after === undefined) {
      return;
    }
    this.pass(event.at);
    this.enter(phaseOf(after), after);
    this.addMoments(stamp, event, before, after);
    this.seen = after;
  }

  finish(unchecked: readonly UncheckedSpan[]): JobHistory {
    const from = this.first ?? this.job.createdAt;
    const isOngoing = this.goesOn();
    const to = isOngoing ? undefined : Math.max(from, this.last);
    if (this.phase.kind === 'running' || this.phase.kind === 'waiting' || isOngoing) {
      this.close(to, undefined);
    }
    this.closeRemoval(to);
    for (const span of unchecked.flatMap((each) => clipSpan(each, from, to))) {
      this.spans.push({ kind: 'unchecked', ...span });
      this.moments.push({ kind: 'unchecked', at: span.from, id: `unchecked-${span.from}`, span });
    }
    const byTime = (a: { at: number }, b: { at: number }): number => a.at - b.at;
    return {
      from,
      to,
      spans: this.spans.toSorted((a, b) => a.from - b.from),
      moments: this.moments.map((moment) => this.complete(moment)).toSorted(byTime),
    };
  }

  /** Keeps time from running backwards if the clock was set back or a time is not a number. */
  private pass(at: number): void {
    this.last = Number.isFinite(at) ? Math.max(this.first === undefined ? at : this.last, at) : this.last;
    this.first ??= this.last;
  }

  private enter(next: Phase, after: TrackedJob): void {
    if (next.kind === this.phase.kind && next.run === this.phase.run) {
      return;
    }
    this.close(this.last, next.kind === 'idle' ? after.snapshot : undefined);
    this.phase = next;
    this.since = this.last;
  }

  private close(to: number | undefined, end: Snapshot | undefined): void {
    const { kind } = this.phase;
    if (kind === 'running') {
      this.spans.push({ kind, from: this.since, to, end });
    } else if (kind !== 'none' && to !== this.since) {
      this.spans.push({ kind, from: this.since, to });
    }
  }

  private addMoments(stamp: string, event: JobEvent, before: TrackedJob | undefined, after: TrackedJob): void {
    switch (event.type) {
      case 'send':
        this.prompt(event.send);
        break;
      case 'created':
      case 'resumed':
        if (after.run !== before?.run) {
          this.begin(stamp, event, after);
        }
        break;
      case 'rejected':
      case 'notSent':
      case 'throttled':
      case 'unconfirmed':
        this.outcome(stamp, event.send, { type: event.type, reason: event.reason });
        break;
      case 'discarded':
        this.outcome(stamp, event.send, { type: 'discarded' });
        break;
      case 'tracked':
        this.add(stamp, { kind: 'tracked', snapshot: event.job });
        break;
      case 'changed':
        this.change(stamp, before, after);
        break;
      case 'untracked':
        this.removedAt ??= this.last;
        this.add(stamp, { kind: 'removed' });
        break;
      case 'restored':
        this.restore(stamp);
        break;
      default:
    }
  }

  /** The moment's id is that of its send, so that the prompt can be resent or discarded from there. */
  private prompt(id: string): void {
    const send = this.job.sends.find((each) => each.id === id);
    const isNew = !this.moments.some((moment) => moment.kind === 'prompt' && moment.send.id === id);
    if (send !== undefined && isNew) {
      this.add(id, { kind: 'prompt', send });
    }
  }

  private begin(stamp: string, event: JobEvent, { endedAt, snapshot }: TrackedJob): void {
    if (event.type === 'resumed') {
      this.add(`${stamp}-resumed`, { kind: 'resumed' });
    }
    // If a run was already over when it was found, its start is unknown.
    if (event.type !== 'resumed' || !event.end) {
      this.add(stamp, { kind: 'began' });
    }
    if (endedAt !== undefined && snapshot !== undefined) {
      this.add(`${stamp}-end`, { kind: 'ended', snapshot, isNewLink: snapshot.prLink !== null });
    }
  }

  /** Consecutive attempts that failed for the same reason are merged into one moment. */
  private outcome(stamp: string, id: string, outcome: Outcome): void {
    const send = this.job.sends.find((each) => each.id === id);
    const index = this.moments.findLastIndex((moment) => moment.kind === 'outcome' && moment.send.id === id);
    const known = this.moments[index];
    if (known?.kind === 'outcome' && isSame(known.outcome, outcome)) {
      this.moments[index] = { ...known, outcome, times: known.times + 1 };
    } else if (send !== undefined) {
      this.add(stamp, { kind: 'outcome', send, outcome, times: 1, isPast: false });
    }
  }

  private change(stamp: string, before: TrackedJob | undefined, { snapshot, endedAt }: TrackedJob): void {
    if (snapshot === undefined || snapshot === before?.snapshot) {
      return;
    }
    const isNewLink = snapshot.prLink !== null && snapshot.prLink !== before?.snapshot?.prLink;
    if (endedAt !== undefined) {
      this.add(stamp, { kind: 'ended', snapshot, isNewLink });
    } else if (isNewLink) {
      this.add(stamp, { kind: 'pullRequest', snapshot });
    } else if (snapshot.status !== before?.snapshot?.status) {
      this.add(stamp, { kind: 'status', snapshot });
    }
  }

  private restore(stamp: string): void {
    this.closeRemoval(this.last);
    this.removedAt = undefined;
    this.add(stamp, { kind: 'restored' });
  }

  /** A job that is not in the list is not checked. */
  private closeRemoval(to: number | undefined): void {
    if (this.removedAt !== undefined && this.phase.kind === 'running' && to !== this.removedAt) {
      this.spans.push({ kind: 'unchecked', from: this.removedAt, to });
    }
  }

  private add(id: string, moment: Drafted<Moment>): void {
    this.moments.push({ at: this.last, id, ...moment });
  }

  /** Fills in what only later events reveal about a moment. */
  private complete(moment: Moment): Moment {
    if (moment.kind === 'began') {
      const span = this.spans.find(({ kind, from }) => kind === 'running' && from === moment.at);
      return { ...moment, to: span?.to };
    }
    if (moment.kind === 'outcome') {
      const { send } = moment;
      const last = this.moments.findLast((each) => each.kind === 'outcome' && each.send.id === send.id);
      return { ...moment, isPast: moment !== last || isFinished(send) };
    }
    return moment;
  }

  /** True while something is in progress. A prompt held for the user does not count. */
  private goesOn(): boolean {
    const { job } = this;
    const own = pendingCreate(job);
    const waits = [...(own === undefined ? [] : [own]), ...pendingSends(job)].some(
      (send) => isInProgress(send) && !isHeld(send),
    );
    return waits || (this.phase.kind === 'running' && !job.untracked);
  }
}

function phaseOf(job: TrackedJob): Phase {
  if (job.snapshot === undefined) {
    const create = pendingCreate(job);
    return create === undefined || create.state === 'discarded' ? NOTHING : { kind: 'waiting', run: '' };
  }
  return { kind: job.endedAt === undefined ? 'running' : 'idle', run: job.run };
}

function isSame(a: Outcome, b: Outcome): boolean {
  return a.type === b.type && a.reason?.kind === b.reason?.kind && a.reason?.code === b.reason?.code;
}
