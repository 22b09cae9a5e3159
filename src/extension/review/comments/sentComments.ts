import type { TrackedJob } from '../../../jobs/trackedJob';
import { commentBlock, heldBlocks } from '../../../prompt/reviewComments';
import type { ComposedComment, KeptComment } from '../../../storage/reviewSchema';

/** The comments as they were put into a prompt, where their text is still that one. */
export function asComposed(composed: readonly ComposedComment[], kept: readonly KeptComment[]): ComposedComment[] {
  const texts = new Map(kept.map((each) => [each.id, commentBlock(each).text]));
  return composed.filter(({ id, text }) => texts.get(id) === text);
}

/**
 * What the prompts of a job hold that were kept since `before`: the ids of these comments, and how many of those that were
 * put into the same prompt it does not hold any more. A comment that was changed after it was put there was not sent.
 */
export function sentComments(
  job: TrackedJob,
  before: TrackedJob | undefined,
  composed: readonly ComposedComment[],
  kept: readonly KeptComment[],
): { sent: Set<string>; left: number } {
  const known = new Set(before?.sends.map(({ id }) => id));
  const current = new Set(asComposed(composed, kept));
  const sent = new Set<string>();
  let left = 0;
  for (const { id, prompt, at, state } of job.sends) {
    const put = composed.filter((each) => each.jobKey === job.key && each.at <= at);
    const held =
      known.has(id) || state === 'discarded' ? [] : heldBlocks(prompt, put).filter((each) => current.has(each));
    held.forEach((each) => sent.add(each.id));
    if (held.length > 0) {
      left = put.filter((each) => !sent.has(each.id) && kept.some((other) => other.id === each.id)).length;
    }
  }
  return { sent, left };
}
