import type { OutgoingPrompt, TrackedJob } from '../../../jobs/trackedJob';

/** A prompt of the past. */
export interface SentPrompt {
  /** The beginning of a long one: the store has the rest. */
  text: string;
  send: OutgoingPrompt;
  /** Wall time when it was given, in milliseconds. */
  at: number;
  /** The job that it went to last. */
  job: TrackedJob;
}

/**
 * All prompts that the records hold, newest first, equal ones once. One that the user gave up is not among them: it was
 * to be gone. Those of jobs that were removed from the list are, for as long as their records can bring the job back.
 */
export function sentPrompts(jobs: readonly TrackedJob[]): SentPrompt[] {
  const newest = new Map<string, SentPrompt>();
  for (const job of jobs) {
    for (const send of job.sends.filter(isKept)) {
      const text = send.prompt.trim();
      // Two long ones may differ where memory does not hold them.
      const name = send.isCut === true ? `${text}\n${send.id}` : text;
      const known = newest.get(name);
      if (text !== '' && (known === undefined || known.at < send.at)) {
        newest.set(name, { text, send, at: send.at, job });
      }
    }
  }
  return [...newest.values()].toSorted((a, b) => b.at - a.at);
}

/** The prompts that hold every word of a search, wherever it stands in what memory holds of them. */
export function promptsWith(prompts: readonly SentPrompt[], search: string): readonly SentPrompt[] {
  const words = search.toLowerCase().match(/\S+/g) ?? [];
  return words.length === 0
    ? prompts
    : prompts.filter(({ text }) => {
        const small = text.toLowerCase();
        return words.every((word) => small.includes(word));
      });
}

function isKept({ state }: OutgoingPrompt): boolean {
  return state !== 'discarded';
}
