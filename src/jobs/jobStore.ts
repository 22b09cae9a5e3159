import { type BackoffRange, backoffDelay, type Clock, delay, KeyedQueue } from '../base/async';
import { Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { JobEvent, RecordedEvent, PromptClaim } from './events';
import type { RecordFiles } from './ports';
import { reduceEvent, reduceEvents, type TrackedJob } from './trackedJob';

/** A change that this window made or, with `event` undefined, found on disk. */
export interface JobChange {
  job: TrackedJob;
  /** The job as this window knew it before; undefined if the job is new to it. */
  before?: TrackedJob | undefined;
  event?: JobEvent | PromptClaim | undefined;
}

export interface JobStoreOptions {
  files: RecordFiles;
  clock: Clock;
  /** Generates a unique id of letters and digits. */
  newId: () => string;
  log: Logger;
}

/** How long records are read at startup before yielding to other work in this process, in milliseconds. */
const SLICE_MS = 10;

/** Backoff for retrying failed disk reads and writes. */
const RETRY: BackoffRange = { baseMs: 1000, capMs: 60_000 };

/**
 * The jobs, reduced from their event files. What is going to happen is on disk before it is visible here; what has
 * happened, such as an answer, is visible at once, and written as soon as the disk allows.
 */
export class JobStore {
  private readonly events = new Map<string, readonly RecordedEvent[]>();
  /** Events that have happened, but are not on disk yet. */
  private readonly unwritten = new Map<string, readonly RecordedEvent<JobEvent>[]>();
  /** Serializes the writes of each job. */
  private readonly turns = new KeyedQueue();
  /** Disk writes in progress. */
  private readonly writing = new Set<Promise<unknown>>();
  private readonly jobsByKey = new Map<string, TrackedJob>();
  private readonly changed: Emitter<JobChange>;
  private hasLoaded = false;
  private resolveLoaded: () => void = () => undefined;
  private readonly loading = new Promise<void>((resolve) => (this.resolveLoaded = resolve));

  constructor(private readonly options: JobStoreOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of the job list failed', error));
  }

  get onDidChange(): Emitter<JobChange>['event'] {
    return this.changed.event;
  }

  get jobs(): readonly TrackedJob[] {
    return [...this.jobsByKey.values()];
  }

  get(key: string): TrackedJob | undefined {
    return this.jobsByKey.get(key);
  }

  /** Returns the known events of a job, ordered by stamp. */
  eventsOf(key: string): readonly RecordedEvent[] {
    return this.events.get(key) ?? [];
  }

  /** True once all records have been read: from then on, a job missing here is in no record. */
  get isLoaded(): boolean {
    return this.hasLoaded;
  }

  /** Resolves when all records have been read. */
  get loaded(): Promise<void> {
    return this.loading;
  }

  /** Reads all records from disk. Unreadable ones are logged, skipped, and retried for as long as the window lives. */
  async load(tries = 1): Promise<void> {
    const { files, clock, log } = this.options;
    try {
      let slice = clock.monotonic();
      for (const key of await files.list()) {
        await this.refresh(key);
        if (clock.monotonic() - slice > SLICE_MS) {
          await delay(clock, 0);
          slice = clock.monotonic();
        }
      }
      this.hasLoaded = true;
      this.resolveLoaded();
    } catch (error) {
      log.error('couldn’t read the job list yet', error);
      clock.after(backoffDelay(RETRY, tries, 0.5), () => void this.load(tries + 1));
    }
  }

  /** Reads a job's new records, retrying in the background if that fails. Never rejects. */
  async refresh(key: string, tries = 1): Promise<void> {
    const { clock, log } = this.options;
    try {
      await this.reload(key);
    } catch (error) {
      log.error(`couldn’t read job ${key}`, error);
      clock.after(backoffDelay(RETRY, tries, 0.5), () => void this.refresh(key, tries + 1));
    }
  }

  /** Reads a job's new records, because another window wrote to it. */
  async reload(key: string): Promise<void> {
    const known = new Set(this.events.get(key)?.map((each) => each.stamp));
    this.remember(key, await this.options.files.read(key, known));
  }

  /** Creates a job by writing its first event, which also creates its folder. Returns the job. */
  async add(event: Extract<JobEvent, { type: 'send' | 'tracked' }>): Promise<TrackedJob> {
    return this.append(this.options.newId(), event);
  }

  /**
   * Writes an event and returns the resulting job. If the write fails, nothing has changed. The job's unwritten events
   * are written first: a follow-up must not survive without the record of the job it belongs to.
   */
  append(key: string, event: JobEvent): Promise<TrackedJob> {
    return this.inTurn(key, async () => {
      await this.writeRest(key);
      const stamped = { stamp: this.nextStamp(key), event };
      await this.options.files.write(key, stamped);
      this.remember(key, [stamped], event);
      return this.requireJob(key);
    });
  }

  /**
   * Records an event that has already happened, and writes it to disk when possible. Resolves after the first attempt,
   * and retries for as long as the window lives.
   */
  async record(key: string, event: JobEvent): Promise<void> {
    const stamped = { stamp: this.nextStamp(key), event };
    this.remember(key, [stamped], event);
    this.unwritten.set(key, [...this.rest(key), stamped]);
    await this.save(key);
  }

  /**
   * Resolves when all writes in progress are done, including those that their callers start next. Failed writes are
   * retried once. Never rejects.
   */
  async settle(): Promise<void> {
    for (const key of this.unwritten.keys()) {
      void this.inTurn(key, () => this.writeRest(key)).catch(() => undefined);
    }
    while (this.writing.size > 0) {
      await Promise.allSettled(this.writing);
      // A caller that writes several records in a row has started the next one by then.
      await delay(this.options.clock, 0);
    }
  }

  /** Claims one POST of this prompt. Returns false if any window has claimed it before. */
  async claimPrompt(key: string, promptId: string, attempt: number): Promise<boolean> {
    if (!(await this.trackWrite(this.options.files.claim(key, claimName(promptId, attempt))))) {
      return false;
    }
    const event: PromptClaim = { type: 'claimed', at: this.options.clock.now(), promptId, attempt };
    this.remember(key, [{ stamp: claimStamp(promptId, attempt), event }], event);
    return true;
  }

  /** Claims the notification about the end of this job's current run. Returns false if another window did. */
  claimNotice(job: TrackedJob): Promise<boolean> {
    return this.trackWrite(this.options.files.claim(job.key, `notice-${job.run}`));
  }

  /** Writes a job's unwritten events, now or when the disk allows it. Never rejects. */
  private async save(key: string, tries = 1): Promise<void> {
    const { clock, log } = this.options;
    try {
      await this.inTurn(key, () => this.writeRest(key));
    } catch (error) {
      log.error(`couldn’t save an event of job ${key} yet`, error);
      clock.after(backoffDelay(RETRY, tries, 0.5), () => void this.save(key, tries + 1));
    }
  }

  private async writeRest(key: string): Promise<void> {
    for (let [next] = this.rest(key); next !== undefined; [next] = this.rest(key)) {
      await this.options.files.write(key, next);
      this.unwritten.set(key, this.rest(key).slice(1));
    }
    this.unwritten.delete(key);
  }

  private rest(key: string): readonly RecordedEvent<JobEvent>[] {
    return this.unwritten.get(key) ?? [];
  }

  private inTurn<T>(key: string, write: () => Promise<T>): Promise<T> {
    return this.trackWrite(this.turns.run(key, write));
  }

  private trackWrite<T>(write: Promise<T>): Promise<T> {
    const end = (): void => void this.writing.delete(write);
    this.writing.add(write);
    write.then(end, end);
    return write;
  }

  /** Adds events that this window wrote or read. Events already known are ignored. */
  private remember(key: string, read: readonly RecordedEvent[], own?: JobEvent | PromptClaim): void {
    const known = this.events.get(key) ?? [];
    const added = known.length === 0 ? read : unknownOf(read, known);
    const before = this.jobsByKey.get(key);
    let job = before;
    if (added.length > 0) {
      const [only] = added;
      const isNext = added.length === 1 && only !== undefined && only.stamp > lastStamp(known);
      const ordered = known.length === 0 ? added : [...known, ...added].sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
      // Usually a single event is added, and a job may already have hundreds.
      job = isNext && before !== undefined ? reduceEvent(before, only.event) : reduceEvents(key, ordered);
      this.events.set(key, ordered);
    }
    // If the first event is missing, because its file is damaged or not there yet, there is no job to show.
    if (job !== undefined && (added.length > 0 || own !== undefined)) {
      this.jobsByKey.set(key, job);
      this.changed.fire({ job, before, event: own });
    }
  }

  private requireJob(key: string): TrackedJob {
    const job = this.jobsByKey.get(key);
    if (job === undefined) {
      throw new Error(`the records of job ${key} don’t start with a prompt`);
    }
    return job;
  }

  /** Returns a stamp later than all known events of the job, even if the wall clock was set back. */
  private nextStamp(key: string): string {
    const lastTime = parseInt(lastStamp(this.events.get(key) ?? []).slice(0, STAMP_TIME_LENGTH), 36) || 0;
    const time = Math.max(Math.floor(this.options.clock.now()), lastTime + 1);
    return `${time.toString(36).padStart(STAMP_TIME_LENGTH, '0')}-${this.options.newId()}`;
  }
}

/** Milliseconds in base 36: nine digits last until the year 5188. */
const STAMP_TIME_LENGTH = 9;

/** Marks the end of a job as seen, after the user has looked at its result or has caused it. */
export async function markSeen(store: JobStore, { key }: TrackedJob): Promise<void> {
  if (store.get(key)?.unseen === true) {
    await store.append(key, { type: 'seen', at: Date.now() });
  }
}

/** The file name of a claim. */
export function claimName(promptId: string, attempt: number): string {
  return attempt === 1 ? `claim-${promptId}` : `claim-${promptId}-${attempt}`;
}

/** A claim sorts after all else, whatever the file times: its attempt number says what it changes. */
export function claimStamp(promptId: string, attempt: number): string {
  return `~claim-${promptId}-${attempt}`;
}

function unknownOf(read: readonly RecordedEvent[], known: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const stamps = new Set(known.map((each) => each.stamp));
  return read.filter((each) => !stamps.has(each.stamp));
}

/** The latest stamp that belongs to a record rather than a claim. */
function lastStamp(events: readonly RecordedEvent[]): string {
  return events.findLast(({ event }) => event.type !== 'claimed')?.stamp ?? '';
}
