import * as z from 'zod/mini';

/**
 * The arguments of commands. Key bindings, tasks and other extensions pass objects and strings; menus pass their own
 * (a `Uri`, a tree row, an array of rows). What is none of the shapes counts as no argument.
 */
const text = z.string().check(z.minLength(1));

const jobShape = z.union([
  text,
  z.pipe(
    z.object({ jobId: text }),
    z.transform((value) => value.jobId),
  ),
  // A tree row carries our own name of its job.
  z.pipe(
    z.object({ jobKey: text }),
    z.transform((value) => value.jobKey),
  ),
]);
const createShape = z.object({ prompt: z.optional(z.string()), project: z.optional(text) });
const selectionShape = z.object({
  instruction: z.optional(z.string()),
  project: z.optional(text),
  jobId: z.optional(text),
});
const followUpShape = z.object({ jobId: z.optional(text), prompt: z.optional(z.string()) });
const composeShape = z.object({ jobId: z.optional(text), text: z.optional(z.string()) });
const templateShape = z.object({ name: z.optional(text) });
const trackShape = z.object({ jobId: text, project: z.optional(text) });
const sendShape = z.object({ jobKey: text, sendId: text });
const changeShape = z.object({
  kind: z.optional(z.enum(['workingTree', 'staged', 'branch', 'commit'])),
  ref: z.optional(text),
  // The menu of the source control view passes a `SourceControl`.
  rootUri: z.optional(z.object({ fsPath: text })),
});
const timelineShape = z.object({ ref: z.optional(text), fsPath: z.optional(text) });

function reader<T>(shape: z.ZodMiniType<T>): (argument: unknown) => T | undefined {
  return (argument) => {
    const parsed = z.safeParse(shape, argument);
    return parsed.success ? parsed.data : undefined;
  };
}

/** The `key` or `id` of the job that an argument names. */
export const readJobName = reader(jobShape);
export const readCreate = reader(createShape);
export const readSelection = reader(selectionShape);
export const readFollowUp = reader(followUpShape);
export const readCompose = reader(composeShape);
export const readTemplate = reader(templateShape);
export const readTrack = reader(trackShape);
/** A row of one prompt that was not accepted. */
export const readSend = reader(sendShape);
/** Which change, and of which repository. */
export const readChange = reader(changeShape);
/** A commit of the timeline, or only its file. */
export const readTimelineEntry = reader(timelineShape);
