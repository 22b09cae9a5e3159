import type { CodedText } from '../protocol/codedText';
import { CodedError } from './codedText';

/** Why a turn failed. Any other error is a bug in the service. */
export class TurnFailure extends CodedError {}

/** The branch that the work was to be added to has commits that the work lacks. */
export class HostHasMore extends TurnFailure {}

/** Why a turn is stopped: a newer message of its job replaces it, the user stops it, or the service shuts down. */
export type StoppedBy = 'message' | 'user' | 'shutdown';

/** The abort reason of the signals that stop a turn. */
export class TurnStoppedError extends Error {
  constructor(readonly by: StoppedBy) {
    super(`stopped by ${by}`);
  }
}

/** Signals that stop the two parts of a turn. A newer message stops the agent's work, but not a publication. */
export interface TurnSignals {
  work: AbortSignal;
  publish: AbortSignal;
}

/** The agent's usage limit is reached until this time, in milliseconds since the epoch. Its words explain the failure. */
export class UsageLimit extends TurnFailure {
  constructor(
    text: CodedText,
    readonly resumesAt: number,
  ) {
    super(text);
  }
}
