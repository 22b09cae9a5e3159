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
  return kind === 'notFound' || kind === 'rejected';
}

/** The jobs that could not be checked, for windows that do not poll themselves. */
export function writeHealthNote(jobs: readonly (readonly [string, PollHealth])[]): string {
  const failing = jobs.filter(([, { failure }]) => failure !== undefined);
  return failing.length === 0 ? '' : JSON.stringify(failing);
}

/** What a note says; nothing when it is empty, torn or of another kind. Only this extension's own windows write notes. */
export function readHealthNote(note: string): Map<string, PollHealth> {
  try {
    return new Map(note === '' ? [] : (JSON.parse(note) as [string, PollHealth][]));
  } catch {
    return new Map();
  }
}
