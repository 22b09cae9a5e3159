import { type OutgoingPrompt, type TrackedJob, pendingCreate, pendingPrompts } from '../../../src/jobs/trackedJob';
import { isHeld, waitsForRun } from '../../../src/jobs/waiting';
import type { SimDisk } from './simMachine';
import type { SimService } from './simService';

/** The external record of a simulation run. */
export interface Truth {
  disk: SimDisk;
  service: SimService;
  /** How often each end was reported. */
  told: ReadonlyMap<string, number>;
  kept: ReadonlySet<string>;
  givenUp: ReadonlySet<string>;
}

/** A description of each broken promise, judged by the list after all faults are gone. */
export function brokenPromises(jobs: readonly TrackedJob[], truth: Truth): string[] {
  return [...ofPrompts(jobs, truth), ...ofNotices(jobs, truth)];
}

function ofPrompts(jobs: readonly TrackedJob[], { service, kept, givenUp }: Truth): string[] {
  const broken: string[] = [];
  const sent = jobs.flatMap((job) => job.prompts.map((each) => ({ job, prompt: each })));
  const byPrompt = new Map(sent.map((each) => [each.prompt.text, each]));
  for (const prompt of kept) {
    const found = byPrompt.get(prompt);
    if (found === undefined) {
      broken.push(`“${prompt}” is gone`);
    } else if (found.prompt.state === 'discarded' && !givenUp.has(prompt)) {
      broken.push(`“${prompt}” was given up by nobody`);
    }
  }
  const tracked = new Set(jobs.map((job) => job.snapshot?.id));
  for (const { id, prompt } of service.jobs.values()) {
    const about = sent.filter((each) => each.prompt.text === prompt).map((each) => each.prompt.state);
    const maybe = about.includes('unconfirmed') || givenUp.has(prompt);
    if (!tracked.has(id) && !maybe) {
      broken.push(`job ${id} of “${prompt}” is nowhere (${about.join(', ')})`);
    }
  }
  for (const { job, prompt } of sent) {
    const open = prompt.state !== 'created' && prompt.state !== 'discarded';
    if (open && !job.untracked && prompt !== pendingCreate(job) && !pendingPrompts(job).includes(prompt)) {
      broken.push(`“${prompt.text}” is ${prompt.state} and has no row`);
    }
    const stuck = ['queued', 'waiting', 'sending'].includes(prompt.state) && !awaitsUser(job, prompt);
    if (stuck && !job.untracked) {
      broken.push(`“${prompt.text}” is still ${prompt.state}`);
    }
  }
  return broken;
}

function ofNotices(jobs: readonly TrackedJob[], { disk, told }: Truth): string[] {
  const broken: string[] = [];
  for (const [end, times] of told) {
    if (times > 1) {
      broken.push(`the end ${end} was told ${times} times`);
    }
  }
  for (const job of jobs) {
    const over = job.endedAt !== undefined && job.run !== 'tracked';
    const claimed = disk.records.claims.has(`${job.key}/notice-${job.run}`);
    if (over && job.unseen && !job.untracked && !claimed) {
      broken.push(`the end of ${job.key} was not told to who came back`);
    }
    const seen = disk.records.folders.get(job.key)?.some(({ event }) => event.type === 'seen') === true;
    if (over && !job.unseen && !seen && !told.has(`${job.key} ${job.run}`)) {
      broken.push(`the end of ${job.key} has neither notice nor badge`);
    }
  }
  broken.push(...disk.ghostClaims.map((claim) => `a ghost claimed ${claim}`));
  return broken;
}

/** True while a follow-up of some job waits for the end of a run. */
export function awaitsRun(jobs: readonly TrackedJob[]): boolean {
  return jobs.some(
    (job) =>
      !job.untracked && job.prompts.some(({ waiting }) => waiting?.for === 'runEnd' && waiting.held === undefined),
  );
}

/** True for a follow-up that waits for the user, or that is queued behind one that does. */
function awaitsUser(job: TrackedJob, prompt: OutgoingPrompt): boolean {
  const isStuck = (each: OutgoingPrompt): boolean =>
    each.state === 'rejected' || each.state === 'unconfirmed' || isHeld(each);
  const isBehind = prompt.waiting?.for === 'earlierPrompt' && waitsForRun(prompt) && pendingPrompts(job).some(isStuck);
  return isHeld(prompt) || isBehind;
}
