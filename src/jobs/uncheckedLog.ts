import type { Clock } from '../base/async';
import { type Disposable, DisposableStore } from '../base/disposable';
import type { ServiceErrorKind } from '../protocol/errors';
import type { JobStore } from './jobStore';
import type { Poller } from './poller';
import { isRunning } from './trackedJob';

/** A period in which a job could not be checked. Wall times in milliseconds. */
export interface UncheckedSpan {
  readonly from: number;
  /** Absent while the period lasts. */
  readonly to?: number | undefined;
  readonly failure: ServiceErrorKind;
}

export interface UncheckedLogOptions {
  store: Pick<JobStore, 'onDidChange'>;
  poller: Pick<Poller, 'health' | 'onDidChangeHealth'>;
  clock: Pick<Clock, 'now'>;
}

/** How many of the latest spans are kept per job, and for how many jobs. */
const MAX_SPANS = 50;
const MAX_JOBS = 500;

/**
 * When jobs could not be checked, as far as this window knows. Failed polls are not written to disk, so the log covers
 * only the lifetime of the window.
 */
export class UncheckedLog implements Disposable {
  private readonly jobs = new Map<string, UncheckedSpan[]>();
  private readonly owned = new DisposableStore();

  constructor(private readonly options: UncheckedLogOptions) {
    const { store, poller } = options;
    this.owned.add(poller.onDidChangeHealth((key) => this.onHealthChanged(key, poller.health(key)?.failure)));
    this.owned.add(
      store.onDidChange(({ job }) => {
        if (!isRunning(job)) {
          this.onHealthChanged(job.key, undefined);
        }
      }),
    );
  }

  /** Ordered by time. */
  spans(key: string): readonly UncheckedSpan[] {
    return this.jobs.get(key) ?? [];
  }

  dispose(): void {
    this.owned.dispose();
  }

  private onHealthChanged(key: string, failure: ServiceErrorKind | undefined): void {
    const spans = this.jobs.get(key) ?? [];
    const last = spans.at(-1);
    const open = last?.to === undefined ? last : undefined;
    if (open?.failure === failure) {
      return;
    }
    const now = this.options.clock.now();
    const closed = open === undefined ? spans : [...spans.slice(0, -1), { ...open, to: Math.max(open.from, now) }];
    const begun = failure === undefined ? closed : [...closed, { from: now, failure }];
    // Move the job to the end of the map, so that the first one is the least recently updated.
    this.jobs.delete(key);
    this.jobs.set(key, begun.slice(-MAX_SPANS));
    const [oldest] = this.jobs.keys();
    if (this.jobs.size > MAX_JOBS && oldest !== undefined) {
      this.jobs.delete(oldest);
    }
  }
}

/** Returns the part of a span that lies between two times, or an empty list if all of it lies outside. */
export function clipSpan(span: UncheckedSpan, from: number, to: number | undefined): UncheckedSpan[] {
  const begins = Math.max(from, span.from);
  const ends = to === undefined ? span.to : Math.min(to, span.to ?? to);
  return Number.isFinite(begins) && (ends === undefined || ends >= begins) ? [{ ...span, from: begins, to: ends }] : [];
}
