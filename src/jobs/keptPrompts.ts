import { boundText } from '../base/text';
import type { JobEvent, RecordedEvent } from './events';
import { isOver, type OutgoingPrompt, type TrackedJob } from './trackedJob';

/** The longest prompt that stays in memory whole once nothing is to be sent of it any more, in UTF-16 units. */
export const KEPT_PROMPT = 4000;

/**
 * The events without the ends of long prompts that were accepted or given up: they can hold a whole diff, and each window
 * has all jobs in memory. The files keep them. Returns the same list where there is nothing to cut.
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

/** The job with its prompts as they were sent, read from the disk where memory holds their beginnings only. */
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
