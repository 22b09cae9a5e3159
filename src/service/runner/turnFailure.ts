import { CodedError } from '../codedText';

/** Why a turn failed. Any other error is a bug in the service. */
export class TurnFailure extends CodedError {}

/** Why a turn is stopped: a newer message of its job takes its place, the user says so, or the service ends. */
export type StoppedBy = 'message' | 'user' | 'shutdown';

/** The reason of the signals by which a turn is stopped. */
export class Stopped extends Error {
  constructor(readonly by: StoppedBy) {
    super(`stopped by ${by}`);
  }
}

/** Stops the two parts of a turn. A newer message stops the work, but not a publication. */
export interface TurnSignals {
  work: AbortSignal;
  publish: AbortSignal;
}
