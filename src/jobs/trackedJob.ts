import { isTerminal } from '../protocol/status';
import {
  type Home,
  isNews,
  type JobEvent,
  type Reason,
  type RecordedEvent,
  type SendClaim,
  type SendKind,
  type Snapshot,
} from './events';
import { accept, change, observed, resume } from './runs';
import { type Waiting, waitingAfter, waitingFor } from './waiting';

/**
 * The state of one prompt on its way. `queued` has an intent on disk, and `sending` its one claim to POST; `waiting` was
 * provably not taken by the service and goes by itself later; `unconfirmed` may have had its effect.
 */
export type PromptState = 'queued' | 'waiting' | 'sending' | 'created' | 'rejected' | 'unconfirmed' | 'discarded';

export interface OutgoingPrompt {
  readonly id: string;
  readonly kind: SendKind;
  readonly prompt: string;
  /** It is over, and `prompt` is only its beginning: the store reads the rest from the disk. */
  readonly isCut?: true | undefined;
  /** It goes by itself only between runs. */
  readonly afterRun?: boolean | undefined;
  /** Wall time of the intent, in milliseconds. */
  readonly at: number;
  readonly state: PromptState;
  /** Why it is not sent now; set exactly in the state `waiting`. */
  readonly waiting?: Waiting | undefined;
  /** What its last try met: that is what it waits for when no run keeps it back. */
  readonly obstacle?: Waiting | undefined;
  /** How often a POST was claimed. */
  readonly attempt: number;
  /** How often the service refused it with 429; absent for never. */
  readonly refusals?: number | undefined;
  readonly reason?: Reason | undefined;
  /** Wall time of the outcome that `reason` explains, in milliseconds. */
  readonly settledAt?: number | undefined;
  /** Wall time of the claim. */
  readonly goAt?: number | undefined;
}

/** A job that the service made of a prompt which this row had given up. */
export interface DuplicateJob {
  readonly send: OutgoingPrompt;
  /** Wall time of the answer, in milliseconds. */
  readonly at: number;
  readonly snapshot: Snapshot;
}

/** A job in our list: what was asked for and what became of it. Derived from its events, never stored as such. */
export interface TrackedJob {
  /** Our own name for it; never changes and is no part of any address. */
  readonly key: string;
  readonly home: Home;
  readonly sends: readonly OutgoingPrompt[];
  readonly snapshot?: Snapshot | undefined;
  /** When the service accepted the last prompt, by our clock; undefined for one tracked by id. */
  readonly acceptedAt?: number | undefined;
  /** Further jobs that came of prompts which were sent again before their late answer: each is to get its own row. */
  readonly duplicates: readonly DuplicateJob[];
  /** Names the present run: the last accepted send, `tracked`, or as a `resumed` event says. Every run has at most one end. */
  readonly run: string;
  /** A follow-up was accepted and the job was not seen active since: an old end may still be told. */
  readonly awaitsActive: boolean;
  /** `prLink` when the follow-up was accepted. */
  readonly prLinkBefore: string | null;
  /** A follow-up may have been received since the last one that was accepted: whether the job runs is not certain. */
  readonly mayRun?: boolean | undefined;
  /** When the present run ended, by our clock. */
  readonly endedAt?: number | undefined;
  /** The end has not been looked at. */
  readonly unseen: boolean;
  readonly untracked: boolean;
  readonly pinned: boolean;
  /** What the user calls it, where that is not its prompt. */
  readonly title?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Makes the job of its events, which are in the order of their stamps. Undefined when they name no home. */
export function reduceEvents(key: string, events: readonly RecordedEvent[]): TrackedJob | undefined {
  let job: TrackedJob | undefined;
  let updatedAt = 0;
  for (const { event } of events) {
    updatedAt = job === undefined || isNews(event) ? event.at : updatedAt;
    job = job === undefined ? firstEvent(key, event) : applyEvent(job, event);
  }
  return job === undefined ? undefined : withWaiting({ ...job, updatedAt });
}

/** The job after one more event, which is later than all others or a claim. */
export function reduceEvent(job: TrackedJob, event: JobEvent | SendClaim): TrackedJob {
  return withWaiting({ ...applyEvent(job, event), updatedAt: isNews(event) ? event.at : job.updatedAt });
}

/** What a prompt waits for depends on all else of its job, so it is told last. */
function withWaiting(job: TrackedJob): TrackedJob {
  if (!job.sends.some(({ state, waiting }) => state === 'waiting' || waiting !== undefined)) {
    return job;
  }
  const sends = job.sends.map((send) => ({
    ...send,
    waiting: send.state === 'waiting' ? waitingFor(job, send) : undefined,
  }));
  return { ...job, sends };
}

/** True while the service may still work on it: this is what is polled. */
export function isRunning(job: TrackedJob): boolean {
  return job.snapshot !== undefined && job.endedAt === undefined && !job.untracked;
}

/** True while it has a row: neither taken off the list nor given up before the service had it. */
export function isListed(job: TrackedJob): boolean {
  return !job.untracked && pendingCreate(job)?.state !== 'discarded';
}

/** The prompt whose create is not settled, for a job that has no id yet. */
export function pendingCreate(job: TrackedJob): OutgoingPrompt | undefined {
  return job.snapshot === undefined ? job.sends.findLast((send) => send.kind === 'create') : undefined;
}

/**
 * The prompts beside that one which were neither accepted nor given up: follow-ups, and one that was sent again before a
 * late answer made a job of the first.
 */
export function pendingSends(job: TrackedJob): readonly OutgoingPrompt[] {
  const own = pendingCreate(job);
  return job.sends.filter((send) => send !== own && !isOver(send));
}

/** The prompt that gave the job its name; undefined for one tracked by id. */
export function firstPrompt(job: TrackedJob): string | undefined {
  const creates = job.sends.filter((send) => send.kind === 'create');
  return (creates.find((send) => send.state === 'created') ?? creates.at(-1))?.prompt;
}

function firstEvent(key: string, event: JobEvent | SendClaim): TrackedJob | undefined {
  const home = 'home' in event ? event.home : undefined;
  if (home === undefined) {
    return undefined;
  }
  const empty: TrackedJob = {
    key,
    home,
    sends: [],
    duplicates: [],
    run: 'tracked',
    awaitsActive: false,
    prLinkBefore: null,
    unseen: false,
    untracked: false,
    pinned: false,
    createdAt: event.at,
    updatedAt: event.at,
  };
  return applyEvent(empty, event);
}

function applyEvent(job: TrackedJob, event: JobEvent | SendClaim): TrackedJob {
  switch (event.type) {
    case 'send':
      // Two windows that send the same prompt again write the same intent.
      return job.sends.some((send) => send.id === event.send)
        ? job
        : {
            ...job,
            untracked: false,
            sends: withSend(job, event),
          };
    case 'go':
      return changeSend(job, event.send, (send) => begin(send, event));
    case 'created':
      return accept(
        changeSend(job, event.send, (send) => ({ ...send, state: 'created', reason: undefined })),
        event,
      );
    case 'rejected':
    case 'notSent':
    case 'throttled':
    case 'unconfirmed':
      return { ...changeSend(job, event.send, (send) => settle(send, event)), ...doubt(job, event) };
    case 'discarded':
      return changeSend(job, event.send, (send) => (isOver(send) ? send : { ...send, state: 'discarded' }));
    case 'tracked':
      return { ...job, home: event.home, ...observed(event.job, event.at, isTerminal(event.job.status), false) };
    case 'changed':
      // A window that did not know of a newer follow-up may tell of the run before it.
      return event.run === job.run && (job.snapshot === undefined || job.snapshot.id === event.job.id)
        ? change(job, event)
        : job;
    case 'resumed':
      return event.run === job.run || job.snapshot?.id !== event.job.id ? job : resume(job, event);
    case 'seen':
      return { ...job, unseen: false };
    case 'untracked':
      return { ...job, untracked: true };
    case 'restored':
      return { ...job, untracked: false };
    case 'renamed':
      return { ...job, title: event.title === '' ? undefined : event.title };
    case 'pinned':
    case 'unpinned':
      return { ...job, pinned: event.type === 'pinned' };
  }
}

/** A prompt whose answer is known before it, as in the row of a second job, was accepted and is not to be sent. */
function newSend(job: TrackedJob, event: Extract<JobEvent, { type: 'send' }>): OutgoingPrompt {
  const { send: id, kind, prompt, isCut, at, afterRun = false } = event;
  const state = job.snapshot !== undefined && job.run === id ? 'created' : afterRun ? 'waiting' : 'queued';
  return { id, kind, prompt, ...(isCut === true ? { isCut } : {}), afterRun, at, state, attempt: 0 };
}

/** A prompt that waits keeps its place among those that wait when it is changed. */
function withSend(job: TrackedJob, event: Extract<JobEvent, { type: 'send' }>): OutgoingPrompt[] {
  const send = newSend(job, event);
  const sends = job.sends.map((each) => replaced(each, event.replaces));
  const place = send.afterRun ? sends.findIndex((each) => each.afterRun && each.id === event.replaces) : -1;
  return place === -1 ? [...sends, send] : sends.toSpliced(place, 0, send);
}

function replaced(send: OutgoingPrompt, id: string | undefined): OutgoingPrompt {
  return send.id === id && send.state !== 'created' ? { ...send, state: 'discarded' } : send;
}

function changeSend(job: TrackedJob, id: string, change: (send: OutgoingPrompt) => OutgoingPrompt): TrackedJob {
  const at = job.sends.findIndex((send) => send.id === id);
  const send = job.sends[at];
  const changed = send && change(send);
  return changed === undefined || changed === send ? job : { ...job, sends: job.sends.with(at, changed) };
}

/** What was accepted stays accepted, and what was given up comes back only as a job. */
export function isOver(send: OutgoingPrompt): boolean {
  return send.state === 'created' || send.state === 'discarded';
}

/** Windows read claims and outcomes in any order: the later attempt counts. */
function begin(send: OutgoingPrompt, { at, attempt }: SendClaim): OutgoingPrompt {
  const began = {
    state: 'sending' as const,
    attempt,
    goAt: at,
    reason: undefined,
    settledAt: undefined,
    obstacle: undefined,
  };
  return isOver(send) || attempt <= send.attempt ? send : { ...send, ...began };
}

/** Whoever held the claim knows the outcome: a guess of another window does not override it. */
function settle(send: OutgoingPrompt, event: Extract<JobEvent, { reason: Reason }>): OutgoingPrompt {
  const { type, at, attempt, reason } = event;
  const known = send.state === 'rejected' || send.obstacle !== undefined;
  const guess = type === 'unconfirmed' && known && attempt === send.attempt;
  if (isOver(send) || attempt < send.attempt || guess) {
    return send;
  }
  const obstacle = waitingAfter(event);
  const state = type === 'notSent' || type === 'throttled' || obstacle !== undefined ? 'waiting' : type;
  const refusals = type === 'throttled' && reason.status === 429 ? (send.refusals ?? 0) + 1 : send.refusals;
  return { ...send, state, obstacle, attempt, refusals, reason, settledAt: at };
}

function doubt(job: TrackedJob, event: Extract<JobEvent, { reason: Reason }>): Partial<TrackedJob> {
  const send = job.sends.find((each) => each.id === event.send);
  const isNew = event.type === 'unconfirmed' && send?.kind === 'followUp' && settle(send, event) !== send;
  return isNew ? { mayRun: true } : {};
}

/** True while it is on its way, or waits to be sent without the user's doing anything more with it. */
export function isGoing({ state }: OutgoingPrompt): boolean {
  return state === 'queued' || state === 'sending' || state === 'waiting';
}

/** True while it is certain that the service took nothing of it: only then may it be sent. */
export function isUnsent({ state }: OutgoingPrompt): boolean {
  return state === 'queued' || state === 'waiting' || state === 'rejected';
}

/** True while it waits for a key: the service rejected the one it was tried with, or there is none. */
export function waitsForKey({ waiting }: OutgoingPrompt): boolean {
  return waiting?.for === 'apiKey';
}

/** The prompt with this id; throws when the job has none. */
export function findSend(job: TrackedJob, id: string): OutgoingPrompt {
  const send = job.sends.find((each) => each.id === id);
  if (send === undefined) {
    throw new Error(`job ${job.key} has no prompt ${id}`);
  }
  return send;
}
