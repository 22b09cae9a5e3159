import { isTerminal } from '../protocol/status';
import {
  type ServiceLocation,
  isUpdate,
  type JobEvent,
  type FailureReason,
  type RecordedEvent,
  type PromptClaim,
  type PromptKind,
  type Snapshot,
} from './events';
import { sameSnapshot } from './snapshot';
import { type Waiting, getWaitReasonAfter, getWaitReason } from './waiting';

/**
 * The delivery state of one prompt. `queued` has an intent on disk, and `sending` its one claim to POST; `waiting` was
 * provably not accepted by the service and is sent automatically later; `unconfirmed` may have had its effect.
 */
export type PromptState = 'queued' | 'waiting' | 'sending' | 'created' | 'rejected' | 'unconfirmed' | 'discarded';

export interface OutgoingPrompt {
  readonly id: string;
  readonly kind: PromptKind;
  readonly text: string;
  /** Sent automatically only between runs. */
  readonly afterRun?: boolean | undefined;
  /** Wall time of the intent, in milliseconds. */
  readonly at: number;
  readonly state: PromptState;
  /** Why it is not sent now; set exactly in the state `waiting`. */
  readonly waiting?: Waiting | undefined;
  /** What blocked its last attempt; the prompt waits for that when no run keeps it back. */
  readonly obstacle?: Waiting | undefined;
  /** The number of claims to POST. */
  readonly attempt: number;
  /** How often the service refused it with 429; absent if never. */
  readonly refusals?: number | undefined;
  readonly reason?: FailureReason | undefined;
  /** Wall time of the outcome that `reason` explains, in milliseconds. */
  readonly settledAt?: number | undefined;
}

/** A job in our list: what was requested and its outcome. Derived from its events, never stored as such. */
export interface TrackedJob {
  /** Our own id for the job; never changes and is not part of any URL. */
  readonly key: string;
  readonly location: ServiceLocation;
  readonly prompts: readonly OutgoingPrompt[];
  readonly snapshot?: Snapshot | undefined;
  /** When the service accepted the last prompt, by our clock; undefined if the job was added by id. */
  readonly acceptedAt?: number | undefined;
  /** The current run: the last accepted send, `tracked`, or the id in a `resumed` event. A run ends at most once. */
  readonly run: string;
  /** A follow-up was accepted and the job has not been seen active since: polls may still report the previous end. */
  readonly awaitsActive: boolean;
  /** `prLink` when the follow-up was accepted. */
  readonly prLinkBefore: string | null;
  /** A follow-up may have been received since the last accepted one, so it is uncertain whether the job is running. */
  readonly mayRun?: boolean | undefined;
  /** When the current run ended, by our clock. */
  readonly endedAt?: number | undefined;
  /** The user has not looked at the end yet. */
  readonly unseen: boolean;
  readonly untracked: boolean;
  /** The user's own name for the job, if it is not its prompt. */
  readonly title?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Reduces events, ordered by stamp, to the job. Returns undefined if no event names a location. */
export function reduceEvents(key: string, events: readonly RecordedEvent[]): TrackedJob | undefined {
  let job: TrackedJob | undefined;
  let updatedAt = 0;
  for (const { event } of events) {
    updatedAt = job === undefined || happenedTo(job, event) ? event.at : updatedAt;
    job = job === undefined ? firstEvent(key, event) : applyEvent(job, event);
  }
  return job === undefined ? undefined : withWaiting({ ...job, updatedAt });
}

/** Applies one more event, which must be later than all others or a claim. */
export function reduceEvent(job: TrackedJob, event: JobEvent | PromptClaim): TrackedJob {
  return withWaiting({ ...applyEvent(job, event), updatedAt: happenedTo(job, event) ? event.at : job.updatedAt });
}

/** What others do around an ended job makes it neither newer nor older. */
function happenedTo({ endedAt, snapshot }: TrackedJob, event: JobEvent | PromptClaim): boolean {
  const isAround =
    event.type === 'changed' &&
    endedAt !== undefined &&
    snapshot !== undefined &&
    sameSnapshot(snapshot, { ...event.job, surroundings: snapshot.surroundings });
  return isUpdate(event) && !isAround;
}

/** What a prompt waits for depends on the rest of its job, so it is computed last. */
function withWaiting(job: TrackedJob): TrackedJob {
  if (!job.prompts.some(({ state, waiting }) => state === 'waiting' || waiting !== undefined)) {
    return job;
  }
  const prompts = job.prompts.map((prompt) => ({
    ...prompt,
    waiting: prompt.state === 'waiting' ? getWaitReason(job, prompt) : undefined,
  }));
  return { ...job, prompts };
}

/** True while the service may still be working on the job. Running jobs are polled. */
export function isRunning(job: TrackedJob): boolean {
  return job.snapshot !== undefined && job.endedAt === undefined && !job.untracked;
}

/** True while the job has a row: neither removed from the list nor discarded before the service received it. */
export function isListed(job: TrackedJob): boolean {
  return !job.untracked && pendingCreate(job)?.state !== 'discarded';
}

/** Returns the unsettled create prompt of a job that has no id yet. */
export function pendingCreate(job: TrackedJob): OutgoingPrompt | undefined {
  return job.snapshot === undefined ? job.prompts.findLast((prompt) => prompt.kind === 'create') : undefined;
}

/**
 * Returns the other prompts that were neither accepted nor discarded: follow-ups, and a prompt that was resent before a
 * late answer turned the first one into a job.
 */
export function pendingPrompts(job: TrackedJob): readonly OutgoingPrompt[] {
  const own = pendingCreate(job);
  return job.prompts.filter((prompt) => prompt !== own && !isFinished(prompt));
}

/** Returns the prompt that named the job; undefined if it was added by id. */
export function firstPrompt(job: TrackedJob): OutgoingPrompt | undefined {
  const creates = job.prompts.filter((prompt) => prompt.kind === 'create');
  return creates.find((prompt) => prompt.state === 'created') ?? creates.at(-1);
}

export function firstPromptText(job: TrackedJob): string | undefined {
  return firstPrompt(job)?.text;
}

function firstEvent(key: string, event: JobEvent | PromptClaim): TrackedJob | undefined {
  const location = 'location' in event ? event.location : undefined;
  if (location === undefined) {
    return undefined;
  }
  const empty: TrackedJob = {
    key,
    location,
    prompts: [],
    run: 'tracked',
    awaitsActive: false,
    prLinkBefore: null,
    unseen: false,
    untracked: false,
    createdAt: event.at,
    updatedAt: event.at,
  };
  return applyEvent(empty, event);
}

function applyEvent(job: TrackedJob, event: JobEvent | PromptClaim): TrackedJob {
  switch (event.type) {
    case 'send':
      // Two windows that resend the same prompt write the same intent.
      return job.prompts.some((prompt) => prompt.id === event.promptId)
        ? job
        : { ...job, location: locationAfter(job, event), untracked: false, prompts: withPrompt(job, event) };
    case 'claimed':
      return changePrompt(job, event.promptId, (prompt) => applyClaim(prompt, event));
    case 'created':
      return applyAccepted(
        changePrompt(job, event.promptId, (prompt) => ({ ...prompt, state: 'created', reason: undefined })),
        event,
      );
    case 'rejected':
    case 'needsKey':
    case 'notSent':
    case 'throttled':
    case 'unconfirmed':
      return {
        ...changePrompt(job, event.promptId, (prompt) => applyFailure(prompt, event)),
        ...markUncertain(job, event),
      };
    case 'discarded':
      return changePrompt(job, event.promptId, (prompt) =>
        isFinished(prompt) ? prompt : { ...prompt, state: 'discarded' },
      );
    case 'tracked':
      return {
        ...job,
        location: event.location,
        ...toRunFields(event.job, event.at, isTerminal(event.job.status), false),
      };
    case 'changed':
      // A window that did not know of a newer follow-up may report on the previous run.
      return event.run === job.run && (job.snapshot === undefined || job.snapshot.id === event.job.id)
        ? applyChanged(job, event)
        : job;
    case 'resumed':
      return event.run === job.run || job.snapshot?.id !== event.job.id ? job : applyResumed(job, event);
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
      return job;
  }
}

/** Until a service has accepted the job, it can move to another project. */
function locationAfter(job: TrackedJob, event: Extract<JobEvent, { type: 'send' }>): ServiceLocation {
  return job.snapshot === undefined && event.kind === 'create' ? event.location : job.location;
}

/** If the answer is already known, the prompt was accepted and must not be sent. */
function newPrompt(job: TrackedJob, event: Extract<JobEvent, { type: 'send' }>): OutgoingPrompt {
  const { promptId: id, kind, text: prompt, at, afterRun = false } = event;
  const state = job.snapshot !== undefined && job.run === id ? 'created' : afterRun ? 'waiting' : 'queued';
  return { id, kind, text: prompt, afterRun, at, state, attempt: 0 };
}

/** A waiting prompt that is edited keeps its position among the waiting prompts. */
function withPrompt(job: TrackedJob, event: Extract<JobEvent, { type: 'send' }>): OutgoingPrompt[] {
  const prompt = newPrompt(job, event);
  const prompts = job.prompts.map((each) => replaced(each, event.replaces));
  const place = prompt.afterRun ? prompts.findIndex((each) => each.afterRun && each.id === event.replaces) : -1;
  return place === -1 ? [...prompts, prompt] : prompts.toSpliced(place, 0, prompt);
}

function replaced(prompt: OutgoingPrompt, id: string | undefined): OutgoingPrompt {
  return prompt.id === id && prompt.state !== 'created' ? { ...prompt, state: 'discarded' } : prompt;
}

function changePrompt(job: TrackedJob, id: string, change: (prompt: OutgoingPrompt) => OutgoingPrompt): TrackedJob {
  const at = job.prompts.findIndex((prompt) => prompt.id === id);
  const prompt = job.prompts[at];
  const changed = prompt && change(prompt);
  return changed === undefined || changed === prompt ? job : { ...job, prompts: job.prompts.with(at, changed) };
}

/** True once the prompt was accepted, which is final, or discarded, which only a late answer with a job overrides. */
export function isFinished(prompt: OutgoingPrompt): boolean {
  return prompt.state === 'created' || prompt.state === 'discarded';
}

/** Windows read claims and outcomes in any order, so the later attempt wins. */
function applyClaim(prompt: OutgoingPrompt, { attempt }: PromptClaim): OutgoingPrompt {
  const began = {
    state: 'sending' as const,
    attempt,
    reason: undefined,
    settledAt: undefined,
    obstacle: undefined,
  };
  return isFinished(prompt) || attempt <= prompt.attempt ? prompt : { ...prompt, ...began };
}

/** The holder of the claim knows the outcome: another window's guess does not override it. */
function applyFailure(prompt: OutgoingPrompt, event: Extract<JobEvent, { reason: FailureReason }>): OutgoingPrompt {
  const { type, at, attempt, reason } = event;
  const known = prompt.state === 'rejected' || prompt.obstacle !== undefined;
  const guess = type === 'unconfirmed' && known && attempt === prompt.attempt;
  if (isFinished(prompt) || attempt < prompt.attempt || guess) {
    return prompt;
  }
  const obstacle = getWaitReasonAfter(event);
  const state = type === 'rejected' || type === 'unconfirmed' ? type : 'waiting';
  const refusals = type === 'throttled' && reason.status === 429 ? (prompt.refusals ?? 0) + 1 : prompt.refusals;
  return { ...prompt, state, obstacle, attempt, refusals, reason, settledAt: at };
}

function markUncertain(job: TrackedJob, event: Extract<JobEvent, { reason: FailureReason }>): Partial<TrackedJob> {
  const prompt = job.prompts.find((each) => each.id === event.promptId);
  const isNew = event.type === 'unconfirmed' && prompt?.kind === 'followUp' && applyFailure(prompt, event) !== prompt;
  return isNew ? { mayRun: true } : {};
}

/** True while the prompt is being sent, or waits to be sent without further user action. */
export function isInProgress({ state }: OutgoingPrompt): boolean {
  return state === 'queued' || state === 'sending' || state === 'waiting';
}

/** True while it is certain that the service accepted no part of the prompt: only then may it be sent. */
export function isUnsent({ state }: OutgoingPrompt): boolean {
  return state === 'queued' || state === 'waiting' || state === 'rejected';
}

/** True while the prompt waits for a key: the service rejected the one it was tried with, or there is none. */
export function waitsForKey({ waiting }: OutgoingPrompt): boolean {
  return waiting?.for === 'apiKey';
}

/** True if the service rejected the prompt of a new job, and another project may help. */
export function mayNeedProject({ kind, state, reason }: Pick<OutgoingPrompt, 'kind' | 'state' | 'reason'>): boolean {
  const isDenied = reason?.kind === 'forbidden' && reason.status !== 402;
  return kind === 'create' && state === 'rejected' && (reason?.kind === 'notFound' || isDenied);
}

/** Returns the prompt with this id; throws if the job has none. */
export function findPrompt(job: TrackedJob, id: string): OutgoingPrompt {
  const prompt = job.prompts.find((each) => each.id === id);
  if (prompt === undefined) {
    throw new Error(`job ${job.key} has no prompt ${id}`);
  }
  return prompt;
}

/** The service accepted a prompt, which begins a run. */
function applyAccepted(job: TrackedJob, event: Extract<JobEvent, { type: 'created' }>): TrackedJob {
  const accepted = job.prompts.find((prompt) => prompt.id === event.promptId);
  // If the prompt's file is damaged, infer the kind from whether the job was known before.
  const isFollowUp = accepted === undefined ? job.snapshot !== undefined : accepted.kind === 'followUp';
  const isSame = job.snapshot?.id === event.job.id;
  if (accepted?.kind === 'create' && job.snapshot !== undefined) {
    // A prompt that was resent before its answer arrived has created two jobs. The row shows the newer one.
    const last = job.prompts.findLast(({ kind, state }) => kind === 'create' && state === 'created');
    if (isSame || last !== accepted) {
      return job;
    }
  } else if (job.snapshot !== undefined && !isSame) {
    return job;
  }
  // A follow-up may be answered with the end of the previous run. A new job has no previous run.
  const awaitsActive = isFollowUp && event.job.status !== 'active';
  return {
    ...job,
    ...toRunFields(event.job, event.at, !isFollowUp && isTerminal(event.job.status), true),
    acceptedAt: event.at,
    run: event.promptId,
    awaitsActive,
    prLinkBefore: job.snapshot?.prLink ?? null,
    mayRun: undefined,
  };
}

/** A run ends once. If the job is archived later, for example, that is neither another end nor anything unseen. */
function applyChanged(job: TrackedJob, event: Extract<JobEvent, { type: 'changed' }>): TrackedJob {
  return job.endedAt !== undefined && isTerminal(event.job.status)
    ? { ...job, snapshot: event.job }
    : {
        ...job,
        ...toRunFields(event.job, event.at, event.end, true),
        awaitsActive: job.awaitsActive && !event.end && isTerminal(event.job.status),
      };
}

/** Someone sent the job a follow-up from elsewhere, which also begins a run. */
function applyResumed(job: TrackedJob, event: Extract<JobEvent, { type: 'resumed' }>): TrackedJob {
  return {
    ...job,
    ...toRunFields(event.job, event.at, event.end, true),
    // The start of a run that is found only after its end is unknown.
    acceptedAt: event.end ? undefined : event.at,
    run: event.run,
    awaitsActive: false,
    prLinkBefore: job.snapshot?.prLink ?? null,
    mayRun: undefined,
  };
}

/** The fields that an answer of the service sets for the current run. */
function toRunFields(snapshot: Snapshot, at: number, end: boolean, unseen: boolean): Partial<TrackedJob> {
  // The user who stopped it needs no notification.
  return { snapshot, endedAt: end ? at : undefined, unseen: end && unseen && snapshot.stopped !== true };
}

/** True when the service has accepted a follow-up, so that the job has more than one run. */
export function hasFollowUp({ prompts }: TrackedJob): boolean {
  return prompts.some(({ kind, state }) => kind === 'followUp' && state === 'created');
}
