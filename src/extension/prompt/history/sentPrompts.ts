import type { Send, TrackedJob } from '../../../jobs/trackedJob';

/** A prompt of the past. */
export interface SentPrompt {
  text: string;
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
      const known = newest.get(text);
      if (text !== '' && (known === undefined || known.at < send.at)) {
        newest.set(text, { text, at: send.at, job });
      }
    }
  }
  return [...newest.values()].toSorted((a, b) => b.at - a.at);
}

/** The prompts that hold every word of a search, wherever it stands in them. */
export function promptsWith(prompts: readonly SentPrompt[], search: string): readonly SentPrompt[] {
  const words = search.toLowerCase().match(/\S+/g) ?? [];
  return words.length === 0
    ? prompts
    : prompts.filter(({ text }) => {
        const small = text.toLowerCase();
        return words.every((word) => small.includes(word));
      });
}

function isKept({ state }: Send): boolean {
  return state !== 'discarded';
}
