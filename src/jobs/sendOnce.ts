import type { Clock } from '../base/async';
import type { Logger } from '../base/logger';
import { ServiceError } from '../protocol/errors';
import type { JobEvent, PromptKind, ServiceLocation } from './events';
import type { JobStore } from './jobStore';
import { isLimit, outcomeOf, throttled, toNotSent } from './outcome';
import type { JobApi, QuotaLedger } from './ports';
import { toSnapshot } from './snapshot';
import { findPrompt, isUnsent, type OutgoingPrompt, type TrackedJob } from './trackedJob';
import { getRunWaitReason, waitsForRun } from './waiting';

export interface SendOnceParts {
  store: JobStore;
  api: JobApi;
  budget: QuotaLedger;
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
  /** True once this window is closing: then nothing more is claimed. */
  isEnding: () => boolean;
  log: Logger;
}

/**
 * Returns the queue of a prompt. Prompts of one kind to one project share a rate limit and are sent in the order typed.
 */
export function queueKey(location: ServiceLocation, kind: PromptKind): string {
  return `${location.service} ${location.projectId} ${kind}`;
}

/**
 * Makes one attempt to send a prompt: opens the service, takes a slot of the hourly budget, claims exclusively, and
 * POSTs once.
 *
 * @param asked true if the user asked for it just now: our own budget is then no reason to wait, only the service's
 * limit is
 * @returns the outcome to record; undefined if another window holds the claim, and with it the duty to record the
 *   outcome, or if this window is closing
 */
export async function sendOnce(
  parts: SendOnceParts,
  job: TrackedJob,
  prompt: OutgoingPrompt,
  asked: boolean,
): Promise<JobEvent | undefined> {
  const { store, api, budget, clock, random, isEnding, log } = parts;
  if (!isUnsent(prompt) || (!asked && waitsForRun(prompt))) {
    // Another window was faster. The claim number below comes from the same state, so it can't be the next one.
    return undefined;
  }
  const { id } = prompt;
  const name = queueKey(job.location, prompt.kind);
  let { attempt } = prompt;
  /** A slot of the budget that is given back unless a request uses it. */
  let slot: string | undefined;
  try {
    const connection = await api.open(job.location).catch(rethrowAsNotSent);
    const taken = await budget.acquire(name, clock.now()).catch(() => undefined);
    if (taken !== undefined && 'waitMs' in taken && !asked) {
      return throttled(id, attempt, { kind: 'limit', code: 'BUDGET' }, clock.now(), taken.waitMs);
    }
    slot = taken !== undefined && 'place' in taken ? taken.place : undefined;
    if (isEnding() || !(await store.claimPrompt(job.key, id, attempt + 1).catch(rethrowAsNotSent))) {
      return undefined;
    }
    attempt++;
    if (prompt.afterRun === true && !(await isItsTurn(store, job.key, id))) {
      return { type: 'notSent', at: clock.now(), promptId: id, attempt, reason: { kind: 'unreachable', code: 'TURN' } };
    }
    const answer =
      prompt.kind === 'create'
        ? await connection.create(prompt.text)
        : await connection.message(job.snapshot?.id ?? '', prompt.text);
    slot = undefined;
    return { type: 'created', at: clock.now(), promptId: id, job: toSnapshot(answer), location: job.location };
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      throw error;
    }
    // A request refused by the rate limit does not count toward the service's hour, so it does not count toward ours.
    slot = error.effect === 'none' || isLimit(error) ? slot : undefined;
    const outcome = outcomeOf(error, prompt, attempt, clock.now(), random());
    log.warn(`a prompt of job ${job.key} ${OUTCOME_LOG_TEXT[outcome.type]}`, error);
    return outcome;
  } finally {
    if (slot !== undefined) {
      await budget
        .release(name, slot)
        .catch((error: unknown) => log.warn('couldn’t give back a slot of the rate limit', error));
    }
  }
}

/** Rereads the job from disk first, so as not to interrupt a run that another window has started in the meantime. */
async function isItsTurn(store: JobStore, key: string, id: string): Promise<boolean> {
  await store.reload(key).catch(rethrowAsNotSent);
  const job = store.get(key);
  return job !== undefined && getRunWaitReason(job, findPrompt(job, id)) === undefined;
}

function rethrowAsNotSent(error: unknown): never {
  throw toNotSent(error);
}

/** What the log says about a prompt after each outcome. */
const OUTCOME_LOG_TEXT = {
  unconfirmed: 'was sent, but the service didn’t respond',
  throttled: 'is queued: rate limit',
  notSent: 'wasn’t sent and is queued',
  needsKey: 'is queued: the key was rejected, or there is none',
  rejected: 'was rejected',
};
