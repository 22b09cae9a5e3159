import type { ChangeCounts } from '../protocol/changes';
import type { CodedFields, CodedText } from '../protocol/codedText';
import type { ServiceErrorKind } from '../protocol/errors';
import type { Surroundings } from '../protocol/surroundings';
import type { Usage } from '../protocol/usage';

/** The service name of the local service; hosted services are named by their origin. */
export const LOCAL_SERVICE = 'local';

/** Where a job lives. It is always followed there, even if the settings change later. */
export interface ServiceLocation {
  /** The origin of a hosted service, or `local`. Also identifies the API key. */
  service: string;
  /** Origin and path prefix of a hosted service. The local service is found through its state file. */
  baseUrl?: string | undefined;
  projectId: string;
  /** The project's display name, if it differs from its id. */
  projectName?: string | undefined;
}

/** What we keep of a job as reported by the service. */
export interface Snapshot {
  id: string;
  status: string;
  prLink: string | null;
  ref: string | null;
  repository: string | null;
  model: string | null;
  /** ISO 8601, by the service's clock. */
  createdAt: string | null;
  /** Why the job failed, if the service reports it. */
  error: string | null;
  /**
   * What the user should know about the result, if the service reports it: for example, that a branch was pushed
   * without a pull request.
   */
  note?: string | undefined;
  /** The agent gave up before its work was done; `note` says why. */
  endedEarly?: true | undefined;
  /** Error and note as codes, if the service reports them. */
  coded?: CodedFields | undefined;
  /** The number of messages so far, including the first prompt, if the service reports it. */
  turn?: number | undefined;
  /** What the job has changed so far, if the service reports it. */
  changes?: ChangeCounts | undefined;
  /** Its tokens and cost so far, if the service reports them. */
  usage?: Usage | undefined;
  /** The job failed because the user stopped it, if the service reports that. */
  stopped?: true | undefined;
  /** What the user has decided about its work, if the service reports that. */
  review?: 'merged' | 'closed' | undefined;
  /** What others have done around it, and work that is in no branch, if the service reports it. */
  surroundings?: Surroundings | undefined;
}

/** Why a prompt was not accepted. `detail` is the service's own text, `coded` the same as a code. */
export interface FailureReason {
  kind: ServiceErrorKind;
  status?: number | undefined;
  code?: string | undefined;
  detail?: string | undefined;
  coded?: CodedText | undefined;
  /** Wall time in milliseconds before which there is no automatic retry. */
  until?: number | undefined;
}

export type PromptKind = 'create' | 'followUp';

/**
 * What is recorded about a job, one immutable file per event. A job is reduced from its events in the order of their
 * stamps. `at` is wall time in milliseconds. `attempt` is the number of claims to POST made for the prompt so far.
 */
export type JobEvent =
  /** The user wants this prompt sent. On disk before any byte is sent. */
  | {
      type: 'send';
      at: number;
      promptId: string;
      kind: PromptKind;
      text: string;
      location: ServiceLocation;
      replaces?: string | undefined;
      /** To be sent when the job's current run has ended, and not before. */
      afterRun?: true | undefined;
    }
  /**
   * The service accepted the prompt. Job and outcome are in one file, so neither exists without the other. The location is
   * repeated here so that the job is still followed if the prompt's file is damaged.
   */
  | { type: 'created'; at: number; promptId: string; job: Snapshot; location?: ServiceLocation | undefined }
  | {
      type: 'rejected' | 'needsKey' | 'notSent' | 'throttled' | 'unconfirmed';
      at: number;
      promptId: string;
      attempt: number;
      reason: FailureReason;
    }
  | { type: 'discarded'; at: number; promptId: string }
  /** The user added an existing job by its id. */
  | { type: 'tracked'; at: number; location: ServiceLocation; job: Snapshot }
  /** A poll of this run saw a change. `end` is true if the job is over and that counts. */
  | { type: 'changed'; at: number; run: string; job: Snapshot; end: boolean }
  /**
   * The job had ended and was found in another run: someone sent a follow-up from elsewhere. `end` is true if that run
   * is over as well.
   */
  | { type: 'resumed'; at: number; run: string; job: Snapshot; end: boolean }
  /** The user's own name for the job; an empty one restores the name taken from the prompt. */
  | { type: 'renamed'; at: number; title: string }
  /** Nothing pins a job anymore, but records say that something did. */
  | { type: 'seen' | 'untracked' | 'restored' | 'pinned' | 'unpinned'; at: number };

/**
 * The permission for one POST: an empty file, created exclusively, with a name and a time but no content. The next one
 * may be claimed only if the previous attempt provably sent nothing or was refused, or to discard the prompt.
 */
export interface PromptClaim {
  type: 'claimed';
  at: number;
  promptId: string;
  /** Counts from 1. */
  attempt: number;
}

/** An event with its position in the order of the job's events. */
export interface RecordedEvent<E = JobEvent | PromptClaim> {
  stamp: string;
  event: E;
}

/** Events that are not news of the job: what the user does with its row, and claims, which only precede an outcome. */
const NO_NEWS: ReadonlySet<string> = new Set(['seen', 'claimed', 'renamed', 'pinned', 'unpinned']);

/** True if the event says that something happened to the job itself, and not only to its row. */
export function isNews({ type }: JobEvent | PromptClaim): boolean {
  return !NO_NEWS.has(type);
}

/** True if the event changes the job itself, which taking it out of the list and putting it back does not. */
export function isUpdate(event: JobEvent | PromptClaim): boolean {
  return isNews(event) && event.type !== 'untracked' && event.type !== 'restored';
}
