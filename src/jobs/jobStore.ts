import { type Backoff, backoffDelay, type Clock, delay } from '../base/async';
import { Emitter } from '../base/disposable';
import type { Logger } from '../base/logger';
import type { JobEvent, RecordedEvent, SendClaim } from './events';
import { withoutLongPrompts } from './keptPrompts';
import type { RecordFiles } from './ports';
import { type OutgoingPrompt, reduceEvent, reduceEvents, type TrackedJob } from './trackedJob';

/** A change that this window made or, with `event` undefined, found on disk. */
export interface JobChange {
  job: TrackedJob;
  /** The job as this window knew it before; undefined for one that is new to it. */
  before?: TrackedJob | undefined;
  event?: JobEvent | SendClaim | undefined;
}

export interface JobStoreOptions {
  files: RecordFiles;
  clock: Clock;
  /** A name that nobody else makes: letters and digits. */
  newId: () => string;
  log: Logger;
}

/** For how long records are read at start-up before others in this process have their turn, in milliseconds. */
const SLICE_MS = 10;

/** How soon what the disk refused is tried again. */
const RETRY: Backoff = { baseMs: 1000, capMs: 60_000 };

/** What this window knows to have happened, and the disk has not taken yet. */
interface Unwritten {
  stamped: RecordedEvent<JobEvent>;
  writing?: Promise<void> | undefined;
}

/** The jobs, as their event files make them. Every change is on disk before it is seen here. */
export class JobStore {
  private readonly events = new Map<string, readonly RecordedEvent[]>();
  private readonly unwritten = new Map<string, Unwritten[]>();
  /** What the disk is at. */
  private readonly writing = new Set<Promise<unknown>>();
  private readonly folded = new Map<string, TrackedJob>();
  private readonly changed: Emitter<JobChange>;
  private hasLoaded = false;
  private tellLoaded: () => void = () => undefined;
  private readonly loading = new Promise<void>((resolve) => (this.tellLoaded = resolve));

  constructor(private readonly options: JobStoreOptions) {
    this.changed = new Emitter((error) => options.log.error('a listener of the job list failed', error));
  }

  get onDidChange(): Emitter<JobChange>['event'] {
    return this.changed.event;
  }

  get jobs(): readonly TrackedJob[] {
    return [...this.folded.values()];
  }

  get(key: string): TrackedJob | undefined {
    return this.folded.get(key);
  }

  /** What is known to have happened to a job, in the order of the stamps. */
  eventsOf(key: string): readonly RecordedEvent[] {
    return this.events.get(key) ?? [];
  }

  /** The whole prompt, from the disk where memory holds its beginning only. Where that can't be read, the beginning. */
  async promptOf(key: string, { id, prompt, isCut }: OutgoingPrompt): Promise<string> {
    if (isCut !== true) {
      return prompt;
    }
    const isWanted = ({ event }: RecordedEvent): boolean => event.type === 'send' && event.send === id;
    const others = this.eventsOf(key).filter((each) => !isWanted(each));
    try {
      const read = await this.options.files.read(key, new Set(others.map(({ stamp }) => stamp)));
      const event = read.find(isWanted)?.event;
      return event?.type === 'send' ? event.prompt : prompt;
    } catch (error) {
      this.options.log.error(`a prompt of job ${key} can’t be read`, error);
      return prompt;
    }
  }

  /** True once the records were read: a job that is not here by then is in no record. */
  get isLoaded(): boolean {
    return this.hasLoaded;
  }

  /** Resolves when they were. */
  get loaded(): Promise<void> {
    return this.loading;
  }

  /** Reads all records from disk. What can't be read is reported, left out, and tried again for as long as the window lives. */
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
      this.tellLoaded();
    } catch (error) {
      log.error('the list of jobs can’t be read yet', error);
      clock.after(backoffDelay(RETRY, tries, 0.5), () => void this.load(tries + 1));
    }
  }

  /** Reads what is new of one job now or, when that fails, as soon as it works. Never rejects. */
  async refresh(key: string, tries = 1): Promise<void> {
    const { clock, log } = this.options;
    try {
      await this.reload(key);
    } catch (error) {
      log.error(`job ${key} can’t be read`, error);
      clock.after(backoffDelay(RETRY, tries, 0.5), () => void this.refresh(key, tries + 1));
    }
  }

  /** Reads what is new of one job, because another window wrote to it. */
  async reload(key: string): Promise<void> {
    const known = new Set(this.events.get(key)?.map((each) => each.stamp));
    this.remember(key, await this.options.files.read(key, known));
  }

  /** Makes the folder of a new job by writing its first event. Returns the job. */
  async add(event: Extract<JobEvent, { type: 'send' | 'tracked' }>): Promise<TrackedJob> {
    return this.append(this.options.newId(), event);
  }

  /**
   * Writes an event and returns the job that it makes. When the write fails nothing has changed. What is kept of the job
   * goes first: a follow-up must not outlive what says to which job it belongs.
   */
  async append(key: string, event: JobEvent): Promise<TrackedJob> {
    for (const kept of [...(this.unwritten.get(key) ?? [])]) {
      await this.write(key, kept);
    }
    const stamped = { stamp: this.nextStamp(key), event };
    await this.begun(this.options.files.write(key, stamped));
    this.remember(key, [stamped], event);
    return this.present(key);
  }

  /**
   * Takes note of what has already happened, and writes it down as soon as the disk takes it: resolves after the first
   * try, and goes on trying for as long as the window lives.
   */
  async keep(key: string, event: JobEvent): Promise<void> {
    const stamped = { stamp: this.nextStamp(key), event };
    this.remember(key, [stamped], event);
    const kept: Unwritten = { stamped };
    this.unwritten.set(key, [...(this.unwritten.get(key) ?? []), kept]);
    await this.writeUntilDone(key, kept, 1);
  }

  /**
   * Resolves when all is written that was begun, and what its writers go on to write. What the disk has refused is tried
   * once more. Never rejects.
   */
  async settle(): Promise<void> {
    for (const [key, all] of this.unwritten) {
      all.forEach((kept) => void this.write(key, kept).catch(() => undefined));
    }
    while (this.writing.size > 0) {
      await Promise.allSettled(this.writing);
      // Who writes several records in a row is at the next one by then.
      await delay(this.options.clock, 0);
    }
  }

  /** Claims one POST of this prompt. False when any window has claimed it before. */
  async claimSend(key: string, send: string, attempt: number): Promise<boolean> {
    if (!(await this.begun(this.options.files.claim(key, claimName(send, attempt))))) {
      return false;
    }
    const event: SendClaim = { type: 'go', at: this.options.clock.now(), send, attempt };
    this.remember(key, [{ stamp: claimStamp(send, attempt), event }], event);
    return true;
  }

  /** Claims the notification about the end of this job's current run. False when another window did. */
  claimNotice(job: TrackedJob): Promise<boolean> {
    return this.begun(this.options.files.claim(job.key, `notice-${job.run}`));
  }

  private async writeUntilDone(key: string, kept: Unwritten, tries: number): Promise<void> {
    const { clock, log } = this.options;
    try {
      await this.write(key, kept);
    } catch (error) {
      log.error(`what happened to job ${key} could not be written down yet`, error);
      clock.after(backoffDelay(RETRY, tries, 0.5), () => void this.writeUntilDone(key, kept, tries + 1));
    }
  }

  /** Writes what was kept, once, whoever asks. */
  private async write(key: string, kept: Unwritten): Promise<void> {
    const waiting = this.unwritten.get(key);
    if (waiting?.includes(kept) !== true) {
      return;
    }
    kept.writing ??= this.begun(this.options.files.write(key, kept.stamped)).finally(() => (kept.writing = undefined));
    await kept.writing;
    const rest = (this.unwritten.get(key) ?? []).filter((each) => each !== kept);
    if (rest.length > 0) {
      this.unwritten.set(key, rest);
    } else {
      this.unwritten.delete(key);
    }
  }

  private begun<T>(write: Promise<T>): Promise<T> {
    const end = (): void => void this.writing.delete(write);
    this.writing.add(write);
    write.then(end, end);
    return write;
  }

  /** Takes in events that this window wrote or read; one that it knows already changes nothing. */
  private remember(key: string, read: readonly RecordedEvent[], own?: JobEvent | SendClaim): void {
    const known = this.events.get(key) ?? [];
    const added = known.length === 0 ? read : unknownOf(read, known);
    const before = this.folded.get(key);
    let job = before;
    if (added.length > 0) {
      const [only] = added;
      const isNext = added.length === 1 && only !== undefined && only.stamp > lastStamp(known);
      const ordered = known.length === 0 ? added : [...known, ...added].sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
      // Most often one more event comes, and a job may have had hundreds.
      job = isNext && before !== undefined ? reduceEvent(before, only.event) : reduceEvents(key, ordered);
      const kept = job === undefined ? ordered : withoutLongPrompts(job, ordered);
      job = kept === ordered ? job : reduceEvents(key, kept);
      this.events.set(key, kept);
    }
    // Without a beginning, because its file is damaged or not there yet, there is no job to show.
    if (job !== undefined && (added.length > 0 || own !== undefined)) {
      this.folded.set(key, job);
      this.changed.fire({ job, before, event: own });
    }
  }

  private present(key: string): TrackedJob {
    const job = this.folded.get(key);
    if (job === undefined) {
      throw new Error(`the records of job ${key} have no beginning`);
    }
    return job;
  }

  /** Later than all that is known of the job, even when the wall clock was set back. */
  private nextStamp(key: string): string {
    const lastTime = parseInt(lastStamp(this.events.get(key) ?? []).slice(0, STAMP_TIME_LENGTH), 36) || 0;
    const time = Math.max(Math.floor(this.options.clock.now()), lastTime + 1);
    return `${time.toString(36).padStart(STAMP_TIME_LENGTH, '0')}-${this.options.newId()}`;
  }
}

/** Milliseconds in base 36: nine digits last until the year 5188. */
const STAMP_TIME_LENGTH = 9;

/** The file name of a claim. */
export function claimName(send: string, attempt: number): string {
  return attempt === 1 ? `go-${send}` : `go-${send}-${attempt}`;
}

/** A claim sorts after all else, whatever the times of the files: its number says what it changes. */
export function claimStamp(send: string, attempt: number): string {
  return `~go-${send}-${attempt}`;
}

function unknownOf(read: readonly RecordedEvent[], known: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const stamps = new Set(known.map((each) => each.stamp));
  return read.filter((each) => !stamps.has(each.stamp));
}

/** The latest stamp that is of a record. */
function lastStamp(events: readonly RecordedEvent[]): string {
  return events.findLast(({ event }) => event.type !== 'go')?.stamp ?? '';
}
