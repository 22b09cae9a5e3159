import type { ServiceErrorKind } from '../shared/protocol/serviceError';
import type { Disposable } from '../shared/util/disposable';

/** How fresh the news of a job is. Lives in memory only: it is true for this window and now. */
export interface PollHealth {
  /** Wall time of the last answer, in milliseconds. */
  lastSuccessAt?: number | undefined;
  /** Why the last poll failed; undefined after a success. */
  failure?: ServiceErrorKind | undefined;
}

/** One running job under watch. */
export interface Watch {
  key: string;
  service: string;
  run: string;
  /** Monotonic time at which the run began, so that a jump of the wall clock changes no schedule. */
  startedAt: number;
  /** Monotonic time of the last question; the probe is the one that was not asked for the longest. */
  askedAt: number;
  timer?: Disposable | undefined;
  inFlight?: Promise<void> | undefined;
  lastSuccessAt?: number | undefined;
  /** Why the last poll failed, where that is about this job alone. */
  failure?: PollHealth['failure'];
  failures: number;
  /** Monotonic time of the last question that the service as a whole was held to have failed. */
  failedAt?: number | undefined;
  /** Monotonic time since which each poll told an end. */
  endToldSince?: number | undefined;
}

/** Failures that say something about one job only; all others are about its service. */
export function isAboutJob(kind: ServiceErrorKind): boolean {
  return kind === 'notFound' || kind === 'rejected';
}

/** The jobs that could not be checked, for windows that do not poll themselves. */
export function writeHealthReport(jobs: readonly (readonly [string, PollHealth])[]): string {
  const failing = jobs.filter(([, { failure }]) => failure !== undefined);
  return failing.length === 0 ? '' : JSON.stringify(failing);
}

/** Parses a report; empty when it is torn or of another kind. Only this extension's own windows write reports. */
export function readHealthReport(report: string): Map<string, PollHealth> {
  try {
    return new Map(report === '' ? [] : (JSON.parse(report) as [string, PollHealth][]));
  } catch {
    return new Map();
  }
}
