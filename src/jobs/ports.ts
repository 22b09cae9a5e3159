import type { Disposable } from '../base/disposable';
import type { ServiceErrorKind } from '../protocol/errors';
import type { WireJob } from '../protocol/job';
import type { ServiceLocation, JobEvent, RecordedEvent } from './events';

/** An open connection to one service: the key was found and the local service started, so only the request remains. */
export interface ServiceConnection {
  create(prompt: string): Promise<WireJob>;
  message(jobId: string, prompt: string): Promise<WireJob>;
}

/** The service as the domain sees it. Every method throws ServiceError. */
export interface JobApi {
  /** Sends nothing; its errors have the effect `none`. */
  open(location: ServiceLocation): Promise<ServiceConnection>;
  /**
   * Resolves as soon as the service has answered anything at all: a prompt waiting for the network may then be sent.
   */
  probe(location: ServiceLocation): Promise<void>;
  /** Makes one request without retries; the caller has its own schedule. */
  retrieve(location: ServiceLocation, jobId: string, signal: AbortSignal): Promise<WireJob>;
}

/**
 * The local service, which announces changes of jobs itself. Nothing here starts it. Every method throws ServiceError.
 */
export interface JobNews {
  /**
   * Listens until the signal aborts or the service ends the stream. Resolves to false if no service runs.
   *
   * @param onOpen called once all later changes are certain to be received
   */
  listen(
    on: { onOpen: () => void; onJob: (projectId: string, jobId: string) => void },
    signal: AbortSignal,
  ): Promise<boolean>;
  /** The jobs of a project, newest first; none while the local service doesn't run, or if a service has no list. */
  list(location: ServiceLocation): AsyncIterable<WireJob>;
  /** Returns undefined while no service runs. */
  find(location: ServiceLocation, jobId: string, signal: AbortSignal): Promise<WireJob | undefined>;
}

/** The records on disk: one folder per job, one immutable file per event. Several windows share them without locks. */
export interface RecordFiles {
  /** The keys of all jobs that have a folder. */
  list(): Promise<string[]>;
  /**
   * Reads the events of one job in order, except those with known stamps. A damaged file is set aside and reported, and
   * the rest is read.
   */
  read(key: string, known?: ReadonlySet<string>): Promise<RecordedEvent[]>;
  /** Resolves when the event would survive a crash of the machine. */
  write(key: string, stamped: RecordedEvent<JobEvent>): Promise<void>;
  /** Returns true only to the first caller across all windows. */
  claim(key: string, name: string): Promise<boolean>;
}

/**
 * Hourly request budgets, shared by all windows without locks. Each slot of a budget is good for one request per hour.
 */
export interface QuotaLedger {
  /**
   * Takes a free slot of this name's budget.
   *
   * @param now wall time in milliseconds
   * @returns the slot, or the milliseconds until one becomes free
   */
  acquire(name: string, now: number): Promise<{ place: string } | { waitMs: number }>;
  /** Frees a slot whose request was never sent, or does not count toward the service's hour. */
  release(name: string, place: string): Promise<void>;
}

/** How fresh a job's state is. Not recorded, because it applies to this moment. */
export interface PollHealth {
  /** Wall time of the last answer, in milliseconds. */
  lastSuccessAt?: number | undefined;
  /** Why the last poll failed; undefined after a success. */
  failure?: ServiceErrorKind | undefined;
}

/** Which window leads. */
export interface LeaderRecord {
  window: string;
  /** Counts its heartbeats. */
  beat: number;
  /** Wall time of the last one, in milliseconds. */
  at: number;
  /** The jobs that it could not check. */
  failing: readonly (readonly [string, PollHealth])[];
}

/** Where the leading window says that it leads; all windows share it. */
export interface LeaderFile {
  /** Changes the record, unless `change` returns the same one. Resolves to the one that is there now. */
  update(change: (found: LeaderRecord | undefined) => LeaderRecord | undefined): Promise<LeaderRecord | undefined>;
  /** Removes the record at once, because this window closes or has nothing to do. */
  remove(): void;
}

/** Checks whether the user interface of this window is still there. */
export interface UiProbe {
  /**
   * Resolves after a round trip to the user interface. The extension host of a closed window can keep running for
   * hours, and there this never resolves. Anything that only one window may do must be claimed only after this
   * resolves.
   */
  ping(): Promise<void>;
}

/** Whether this window does the work that one window does for all: polling and resending. */
export interface Leadership {
  readonly leads: boolean;
  onDidChange(listener: () => void): Disposable;
}
