/** Why a turn is stopped: a newer message of its job takes its place, the user says so, or the service ends. */
export type StoppedBy = 'message' | 'user' | 'shutdown';

/** The reason of the signals by which a turn is stopped. */
export class Stopped extends Error {
  constructor(readonly by: StoppedBy) {
    super(`stopped by ${by}`);
  }
}

/** What stops the two parts of a turn. A newer message lets what is being published come to its end. */
export interface TurnSignals {
  work: AbortSignal;
  publish: AbortSignal;
}
