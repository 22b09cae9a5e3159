import { truncateWithEllipsis } from '../base/text';
import type { JobEvent, RecordedEvent } from './events';
import { isFinished, type OutgoingPrompt, type TrackedJob } from './trackedJob';

/** The longest prompt kept whole in memory once it no longer needs sending, in UTF-16 code units. */
export const MAX_KEPT_PROMPT_LENGTH = 4000;

/**
 * Truncates long prompts that were accepted or discarded: they can hold a whole diff, and each window has all jobs in
 * memory. The files keep them in full. Returns the same list if there is nothing to truncate.
 */
export function truncateLongPrompts(job: TrackedJob, events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const long = job.sends
    .filter((send) => send.prompt.length > MAX_KEPT_PROMPT_LENGTH && isFinished(send))
    .map(({ id }) => id);
  return long.length === 0
    ? events
    : events.map(({ stamp, event }) =>
        event.type === 'send' && long.includes(event.send) ? { stamp, event: shortened(event) } : { stamp, event },
      );
}

function shortened(event: Extract<JobEvent, { type: 'send' }>): JobEvent {
  return event.prompt.length <= MAX_KEPT_PROMPT_LENGTH
    ? event
    : { ...event, prompt: truncateWithEllipsis(event.prompt, MAX_KEPT_PROMPT_LENGTH), isCut: true };
}

/** Returns the job with its full prompts, read from disk if memory holds only their beginnings. */
export async function withFullPrompts(
  store: { promptOf(key: string, send: OutgoingPrompt): Promise<string> },
  job: TrackedJob,
): Promise<TrackedJob> {
  const whole = async (send: OutgoingPrompt): Promise<OutgoingPrompt> => ({
    ...send,
    prompt: await store.promptOf(job.key, send),
  });
  return job.sends.some(({ isCut }) => isCut) ? { ...job, sends: await Promise.all(job.sends.map(whole)) } : job;
}
