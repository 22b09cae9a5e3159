import type { ServiceErrorKind } from '../shared/protocol/serviceError';

/** How fresh the news of a job is. Lives in memory only: it is true for this window and now. */
export interface PollHealth {
  /** Wall time of the last answer, in milliseconds. */
  lastSuccessAt?: number | undefined;
  /** Why the last poll failed; undefined after a success. */
  failure?: ServiceErrorKind | undefined;
}

/** Failures that say something about one job only; all others are about its service. */
export function isAboutJob(kind: ServiceErrorKind): boolean {
  return kind === 'notFound' || kind === 'notUnderstood' || kind === 'rejected';
}
