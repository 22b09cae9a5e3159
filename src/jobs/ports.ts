import type { WireJob } from '../shared/protocol/job';
import type { Home, JobEvent, Stamped } from './events';

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

/** The records on disk: a folder a job, an immutable file an event. Several windows share them without locks. */
export interface RecordFiles {
  /** The keys of all jobs that have a folder. */
  list(): Promise<string[]>;
  /** The events of one job in order. A damaged file is set aside and reported, and the rest is read. */
  read(key: string): Promise<Stamped[]>;
  /** Resolves when the event would survive a crash of the machine. */
  write(key: string, stamped: Stamped<JobEvent>): Promise<void>;
  /** True for the one caller, over all windows, who came first. */
  claim(key: string, name: string): Promise<boolean>;
}
