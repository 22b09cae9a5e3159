import * as z from 'zod/mini';

/** The most comments of one follow-up, and the most characters of one and of all of them. */
export const MAX_COMMENTS = 100;
export const MAX_COMMENT_LENGTH = 5_000;
export const MAX_COMMENTS_LENGTH = 60_000;

const lineNumber = z.int().check(z.minimum(1), z.maximum(10_000_000));

/** A comment on a line or on a range of lines, both ends included. */
const commentSchema = z
  .object({
    path: z.string().check(z.minLength(1), z.maxLength(4_096)),
    /** The lines as they were, or as they are after the change. */
    side: z.enum(['old', 'new']),
    from: lineNumber,
    to: lineNumber,
    text: z.string().check(z.maxLength(MAX_COMMENT_LENGTH), z.regex(/\S/)),
  })
  .check(z.refine(({ from, to }) => from <= to));

export type ReviewComment = z.infer<typeof commentSchema>;

const idSchema = z.string().check(z.regex(/^[A-Za-z0-9-]{8,64}$/));
const commitSchema = z.string().check(z.regex(/^[0-9a-f]{40,64}$/));

/** What the page sends for its comments. */
export const sentCommentsSchema = z.object({
  /** Made by the page: the same again is the same sending, whose answer was lost. */
  id: idSchema,
  /** True when these comments were sent before under this id. */
  again: z.boolean(),
  /** The commit that the page showed. */
  commit: commitSchema,
  comments: z.array(commentSchema).check(
    z.minLength(1),
    z.maxLength(MAX_COMMENTS),
    z.refine((all) => all.reduce((sum, { text }) => sum + text.length, 0) <= MAX_COMMENTS_LENGTH),
  ),
});
export type SentComments = z.infer<typeof sentCommentsSchema>;

/** What the page sends to merge: what its reader saw. */
export const mergeRequestSchema = z.object({
  commit: commitSchema,
  /** The branch that the user was on, and its commit; empty where there was none. */
  into: z.string().check(z.maxLength(4_096)),
  head: z.string().check(z.regex(/^([0-9a-f]{40,64})?$/)),
});
export type MergeRequest = z.infer<typeof mergeRequestSchema>;
