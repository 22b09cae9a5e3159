import type { CodedFields, CodedText } from '../protocol/codedText';
import type { ServiceErrorKind } from '../protocol/errors';

/** The name of the local service wherever a hosted one is named by its origin. */
export const LOCAL_SERVICE = 'local';

/** Where a job lives. It is always followed there, whatever the settings say later. */
export interface Home {
  /** The origin of a hosted service, or `local`. Names the key, too. */
  service: string;
  /** Origin and path prefix of a hosted service; the local one is found by its state file. */
  baseUrl?: string | undefined;
  projectId: string;
  /** What a person calls the project, where that is not its id. */
  projectName?: string | undefined;
}

/** What we keep of a job as the service tells it. */
export interface Snapshot {
  id: string;
  status: string;
  prLink: string | null;
  ref: string | null;
  repository: string | null;
  model: string | null;
  /** ISO 8601, by the service's clock. */
  createdAt: string | null;
  /** Why it failed, where the service says so. */
  error: string | null;
  /** What the user should know of the result, where the service says so: that a branch was pushed without a pull request. */
  note?: string | undefined;
  /** The agent gave up before its work was done; `note` says why. */
  endedEarly?: true | undefined;
  /** Error and note by their codes, where the service says so. */
  coded?: CodedFields | undefined;
  /** How many messages it has had, the first prompt among them, where the service says so. */
  turn?: number | undefined;
  /** It failed because the user stopped it, as far as the service says so. */
  stopped?: true | undefined;
}

/** Why a prompt was not accepted; `detail` is the service's own text, `coded` the same by its code. */
export interface Reason {
  kind: ServiceErrorKind;
  status?: number | undefined;
  code?: string | undefined;
  detail?: string | undefined;
  coded?: CodedText | undefined;
  /** Wall time in milliseconds before which there is no other try by itself. */
  until?: number | undefined;
}

export type SendKind = 'create' | 'followUp';

/**
 * What is written about a job, one immutable file each. A job is what these events make of it in the order of their
 * stamps. `at` is wall time in milliseconds. `attempt` counts the claims to POST that were made for a prompt before.
 */
export type JobEvent =
  /** The user wants this prompt sent; on disk before a byte leaves. */
  | {
      type: 'send';
      at: number;
      send: string;
      kind: SendKind;
      prompt: string;
      home: Home;
      replaces?: string | undefined;
      /** It is to go when the job's present run has ended, and not before. */
      afterRun?: true | undefined;
      /** In memory only: the end of the prompt is in its file alone. */
      isCut?: true | undefined;
    }
  /**
   * The service accepted it. Job and outcome are one file, so neither is ever there without the other; the home stands
   * here, too, so that a job is still followed when the file of its prompt is damaged.
   */
  | { type: 'created'; at: number; send: string; job: Snapshot; home?: Home | undefined }
  | {
      type: 'rejected' | 'notSent' | 'throttled' | 'unconfirmed';
      at: number;
      send: string;
      attempt: number;
      reason: Reason;
    }
  | { type: 'discarded'; at: number; send: string }
  /** The user named an existing job by its id. */
  | { type: 'tracked'; at: number; home: Home; job: Snapshot }
  /** A poll of this run saw something new; `end` when the job is over and that counts. */
  | { type: 'changed'; at: number; run: string; job: Snapshot; end: boolean }
  /** The job had ended and was found in another run: somebody sent it a follow-up elsewhere. `end` when that is over, too. */
  | { type: 'resumed'; at: number; run: string; job: Snapshot; end: boolean }
  /** The user's own name for it; an empty one gives it the name of its prompt back. */
  | { type: 'renamed'; at: number; title: string }
  | { type: 'seen' | 'untracked' | 'restored' | 'pinned' | 'unpinned'; at: number };

/**
 * The permission for one POST: an empty file created exclusively, which has a name and a time and no content. The next
 * one may be claimed only when the attempt before it provably sent nothing or was refused, or to discard the prompt.
 */
export interface SendClaim {
  type: 'go';
  at: number;
  send: string;
  /** Counts from 1. */
  attempt: number;
}

/** An event with its place in the order of its job. */
export interface RecordedEvent<E = JobEvent | SendClaim> {
  stamp: string;
  event: E;
}

/** What the user does with the row is not news of the job, and a claim only precedes some. */
const NO_NEWS: ReadonlySet<string> = new Set(['seen', 'go', 'renamed', 'pinned', 'unpinned']);

/** True when something has happened to the job by it, and not only to its row. */
export function isNews({ type }: JobEvent | SendClaim): boolean {
  return !NO_NEWS.has(type);
}
