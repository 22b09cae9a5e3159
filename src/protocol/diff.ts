import * as z from 'zod/mini';
import { maxLength, minLength } from '../base/lengthChecks';

/** Limits on the answer, which keep it below the size that a client reads. Lengths are in UTF-16 units. */
export const DIFF_LIMITS = { files: 300, perFile: 40_000, characters: 200_000 };

/** `GET …/job/{id}/diff`: the text that the job has changed, file by file. */
export const diffSchema = z.object({
  files: z.array(
    z.object({
      /** Relative to the repository, with `/`. */
      path: z.string(),
      /** As `git diff --unified=0` prints it. */
      patch: z.string(),
      /** Whether lines were left out. */
      isCut: z.boolean(),
    }),
  ),
});
export type JobDiff = z.infer<typeof diffSchema>;

/** The largest image, in bytes; in Base64 it is just below the size that a client reads. */
export const MAX_IMAGE_BYTES = 700_000;

/** `GET …/job/{id}/image?path=…&of=…`: a picture before or after the job’s changes. */
export const imageQuerySchema = z.object({
  path: z.string().check(minLength(1), maxLength(4096)),
  of: z.enum(['base', 'commit']),
});
export type ImageQuery = z.infer<typeof imageQuerySchema>;

/** Null if there is no such picture, if it is too large, or if its type is not shown. */
export const imageSchema = z.object({ base64: z.nullable(z.string()) });

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
};

/** The media type of a picture made of pixels; undefined for other files. SVG is text, and may contain anything. */
export function imageType(path: string): string | undefined {
  const ending = /\.([a-z]{3,4})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(IMAGE_TYPES, ending) ? IMAGE_TYPES[ending] : undefined;
}
