import type { Disposable } from '../shared/util/disposable';
import type { PollHealth } from './pollHealth';

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
