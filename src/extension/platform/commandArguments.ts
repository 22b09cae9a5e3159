import * as z from 'zod/mini';
import { minLength } from '../../base/lengthChecks';

/**
 * Returns a function that reads the argument of a command. Key bindings, tasks and other extensions pass objects and
 * strings; menus pass their own types (a `Uri`, a tree row, an array of rows). An argument of any other shape than the
 * command's counts as none.
 */
export function reader<T>(shape: z.ZodMiniType<T>): (argument: unknown) => T | undefined {
  return (argument) => z.safeParse(shape, argument).data;
}

/** A text that names something, so it isn't empty. */
export const namedText = z.string().check(minLength(1));

/** A `Uri` of the editor, as its menus pass it. */
export const addressShape = z.object({
  scheme: namedText,
  authority: z.string(),
  path: z.string(),
  query: z.string(),
  fragment: z.string(),
});

const readJob = reader(z.union([namedText, z.object({ jobId: namedText }), z.object({ jobKey: namedText })]));

/** The `key` or `id` of the job in an argument; a tree row carries the key. */
export function readJobName(argument: unknown): string | undefined {
  const job = readJob(argument);
  return typeof job !== 'object' ? job : 'jobId' in job ? job.jobId : job.jobKey;
}

/** Like `readJobName`, for one job or an array; empty if none is named. */
export function readJobNames(argument: unknown): string[] {
  const all = Array.isArray(argument) ? argument : [argument];
  return all.map((each) => readJobName(each)).filter((name) => name !== undefined);
}

/** The row of a prompt that has not been accepted. */
export const readSend = reader(z.object({ jobKey: namedText, promptId: namedText }));
