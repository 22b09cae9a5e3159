import { boundText } from '../base/text';
import type { JobEvent, RecordedEvent } from './events';
import { isOver, type OutgoingPrompt, type TrackedJob } from './trackedJob';

/** The longest prompt kept whole in memory once it no longer needs sending, in UTF-16 code units. */
export const KEPT_PROMPT = 4000;

/**
 * Truncates long prompts that were accepted or discarded: they can hold a whole diff, and each window has all jobs in
 * memory. The files keep them in full. Returns the same list if there is nothing to truncate.
 */
export function withoutLongPrompts(job: TrackedJob, events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const long = job.sends.filter((send) => send.prompt.length > KEPT_PROMPT && isOver(send)).map(({ id }) => id);
  return long.length === 0
    ? events
    : events.map(({ stamp, event }) =>
        event.type === 'send' && long.includes(event.send) ? { stamp, event: shortened(event) } : { stamp, event },
      );
}

function shortened(event: Extract<JobEvent, { type: 'send' }>): JobEvent {
  return event.prompt.length <= KEPT_PROMPT
    ? event
    : { ...event, prompt: boundText(event.prompt, KEPT_PROMPT), isCut: true };
}

/** Returns the job with its full prompts, read from disk if memory holds only their beginnings. */
export async function withWholePrompts(
  store: { promptOf(key: string, send: OutgoingPrompt): Promise<string> },
  job: TrackedJob,
): Promise<TrackedJob> {
  const whole = async (send: OutgoingPrompt): Promise<OutgoingPrompt> => ({
    ...send,
    prompt: await store.promptOf(job.key, send),
  });
  return job.sends.some(({ isCut }) => isCut) ? { ...job, sends: await Promise.all(job.sends.map(whole)) } : job;
}
