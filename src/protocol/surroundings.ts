import * as z from 'zod/mini';
import { maxLength } from '../base/lengthChecks';
import { MAX_PATH } from '../base/limits';
import { changeCountsSchema } from './changes';

const branchName = z.string().check(maxLength(MAX_PATH));
const link = z.string().check(maxLength(MAX_PATH));

/** What others have done around a job, as the service saw it last. A job has each field only if there is something to say. */
export const surroundingsSchema = z.object({
  /** The branch that the work goes to, if it has commits that the job's branch lacks. */
  base: z.optional(
    z.object({
      branch: branchName,
      newCommits: z.int().check(z.positive()),
      /** The files in which those commits conflict with the job's work; the first few of them. */
      conflicts: z.array(z.string().check(maxLength(MAX_PATH))),
    }),
  ),
  /** The job's pull request on the Git host, and the branch that it goes to. */
  pullRequest: z.optional(
    z.object({ url: link, state: z.enum(['open', 'merged', 'closed']), base: z.optional(branchName) }),
  ),
  /** The branch of the user's that has the work, if it was merged without a pull request. */
  mergedInto: z.optional(branchName),
  /** The merged pull request whose work this job continues on a new branch. */
  continues: z.optional(link),
  /** What an ended run has left that is not in a branch yet. */
  unsaved: z.optional(changeCountsSchema),
  /** When a run that an agent's usage limit has put on hold resumes, in ISO 8601. Its job is active. */
  resumesAt: z.optional(z.iso.datetime({ offset: true })),
  /** True while the run waits because the service runs as many as it may at once. */
  queued: z.optional(z.literal(true)),
  /** True while the agent has answered, but its tools or processes still work. */
  finishing: z.optional(z.literal(true)),
  /** True while the agent has reported nothing for two minutes and, where that is known, does nothing. */
  idle: z.optional(z.literal(true)),
});
export type Surroundings = z.infer<typeof surroundingsSchema>;
export type PullRequestState = NonNullable<Surroundings['pullRequest']>['state'];
