import * as z from 'zod/mini';
import { minLength } from '../../base/lengthChecks';

export const REVIEW_VERSION = 1;

const name = z.string().check(z.regex(/^[A-Za-z0-9]{1,64}$/));
const line = z.int().check(z.minimum(1), z.maximum(10_000_000));

/** The content of a comment's file. */
export const reviewSchema = z.object({
  version: z.literal(REVIEW_VERSION),
  id: name,
  jobKey: name,
  /** The document in the editor. */
  uri: z.string().check(minLength(1)),
  path: z.string().check(minLength(1)),
  side: z.enum(['old', 'new']),
  from: line,
  to: line,
  quoted: z.string(),
  languageId: z.string(),
  outdated: z.boolean(),
  text: z.string().check(z.regex(/\S/)),
  /** Wall time in milliseconds. */
  at: z.number(),
  /** Absent until a follow-up that contains it was saved. */
  sent: z.optional(
    z.object({
      at: z.number(),
      /** What became of the commented lines; `sent` until the job has run again. */
      state: z.enum(['sent', 'open', 'addressed']),
      /** Where it was written. */
      uri: z.string().check(minLength(1)),
      from: line,
    }),
  ),
});

/** A comment on lines that a job changed. */
export type SavedComment = Omit<z.infer<typeof reviewSchema>, 'version'>;

/** Records that a comment was put into the prompt of a follow-up, and with what text. */
export const composedSchema = z.object({
  version: z.literal(REVIEW_VERSION),
  id: name,
  jobKey: name,
  title: z.string(),
  text: z.string(),
  at: z.number(),
});

export type ComposedComment = Omit<z.infer<typeof composedSchema>, 'version'>;

/** A file written by a later version, which is left as it is. */
export const newerReviewSchema = z.object({ version: z.int().check(z.minimum(REVIEW_VERSION + 1)) });
