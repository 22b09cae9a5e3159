import * as z from 'zod/mini';

export const REVIEW_VERSION = 1;

const line = z.int().check(z.minimum(1), z.maximum(10_000_000));

/** What stands in the file of a comment. */
export const reviewSchema = z.object({
  version: z.literal(REVIEW_VERSION),
  id: z.string().check(z.regex(/^[A-Za-z0-9]{1,64}$/)),
  jobKey: z.string().check(z.regex(/^[A-Za-z0-9]{1,64}$/)),
  /** The document in the editor. */
  uri: z.string().check(z.minLength(1)),
  path: z.string().check(z.minLength(1)),
  side: z.enum(['old', 'new']),
  from: line,
  to: line,
  quoted: z.string(),
  languageId: z.string(),
  outdated: z.boolean(),
  text: z.string().check(z.regex(/\S/)),
  /** It stands in a prompt that was not sent yet. */
  composed: z.boolean(),
  /** Wall time in milliseconds. */
  at: z.number(),
});

/** A comment on lines of what a job has changed, which was not sent yet. */
export type KeptComment = Omit<z.infer<typeof reviewSchema>, 'version'>;
