import type { Disposable } from '../base/disposable';
import type { WireJob } from '../protocol/job';
import type { Home, JobEvent, RecordedEvent } from './events';

/** A way to one service on which all that comes before a request is done: key found, local service started. */
export interface OpenLine {
  create(prompt: string): Promise<WireJob>;
  message(jobId: string, prompt: string): Promise<WireJob>;
}

/** The service as the domain sees it. Each throws ServiceError. */
export interface JobApi {
  /** Sends nothing; what it throws has the effect `none`. */
  open(home: Home): Promise<OpenLine>;
  /** Resolves as soon as the service has answered anything at all: a prompt that waits for the network may go. */
  probe(home: Home): Promise<void>;
  /** One request; the caller has a schedule of its own. */
  retrieve(home: Home, jobId: string, signal: AbortSignal): Promise<WireJob>;
}

/** The local service, which says by itself when a job changes. Nothing here starts it. Each throws ServiceError. */
export interface JobNews {
  /**
   * Listens until the signal aborts or the service ends the stream. Resolves to false when no service runs.
   *
   * @param onOpen called once what happens from then on is heard
   */
  listen(
    on: { onOpen: () => void; onJob: (projectId: string, jobId: string) => void },
    signal: AbortSignal,
  ): Promise<boolean>;
  /** The jobs of a project, newest first; none while no service runs. */
  list(projectId: string): AsyncIterable<WireJob>;
  /** Undefined while no service runs. */
  look(home: Home, jobId: string, signal: AbortSignal): Promise<WireJob | undefined>;
}

/** The records on disk: a folder a job, an immutable file an event. Several windows share them without locks. */
export interface RecordFiles {
  /** The keys of all jobs that have a folder. */
  list(): Promise<string[]>;
  /**
   * The events of one job in order, but for those whose stamps are known. A damaged file is set aside and reported, and
   * the rest is read.
   */
  read(key: string, known?: ReadonlySet<string>): Promise<RecordedEvent[]>;
  /** Resolves when the event would survive a crash of the machine. */
  write(key: string, stamped: RecordedEvent<JobEvent>): Promise<void>;
  /** True for the one caller, over all windows, who came first. */
  claim(key: string, name: string): Promise<boolean>;
  /** Packs the events of a job that this process has read into one file, where there are several. */
  compact(key: string): Promise<void>;
}

/** Places in a budget, each good for one request in an hour, shared by all windows without locks. */
export interface QuotaLedger {
  /**
   * Takes a free place of this name's budget.
   *
   * @param now wall time in milliseconds
   * @returns the place, or in how many milliseconds one becomes free
   */
  take(name: string, now: number): Promise<{ place: string } | { waitMs: number }>;
  /** Frees a place whose request was never sent, or does not count in the service's hour. */
  giveBack(name: string, place: string): Promise<void>;
}

/** Where windows see which other windows are alive. */
export interface Presence {
  /** Records that this window is alive, with a note for the others, and returns theirs and how old they are. */
  announce(window: string, note: string): Promise<{ window: string; ageMs: number; note: string }[]>;
  /** Removes this window at once: it closes or has nothing to do. */
  withdraw(window: string): void;
}

/** Tells whether the user interface of this window is still there. */
export interface UiProbe {
  /**
   * Resolves after a round trip to the user interface. The extension host of a closed window can run on for hours, and
   * there it never resolves: what only one window may do is not claimed before it has.
   */
  ping(): Promise<void>;
}

/** Whether this window does the work that one window does for all: polling and resending. */
export interface Leadership {
  readonly leads: boolean;
  onDidChange(listener: () => void): Disposable;
}
