import * as z from 'zod/mini';
import { maxLength, minLength } from '../base/lengthChecks';

/** Limits on the files listed in an answer, which keep it far below the size that a client reads. */
export const CHANGES_LIMITS = { files: 500, characters: 100_000 };

/** Maximum number of prompts in an answer, and of UTF-16 units of each, which are enough to identify it. */
const ROUNDS_LIMITS = { rounds: 100, characters: 200 };

/** `GET …/job/{id}/changes`: what the job has committed, file by file. */
export const changesSchema = z.object({
  /** The commits that are compared; null while nothing is committed. */
  base: z.nullable(z.string()),
  commit: z.nullable(z.string()),
  files: z.array(
    z.object({
      /** Relative to the repository, with `/`. */
      path: z.string(),
      /** The previous path of a renamed file. */
      from: z.optional(z.string()),
      kind: z.enum(['added', 'changed', 'deleted', 'renamed']),
      /** Number of lines; null for a binary file. */
      added: z.nullable(z.number()),
      deleted: z.nullable(z.number()),
    }),
  ),
  /** The number of files not listed. */
  more: z.number(),
  /** The number of lines in all files, including those not listed. */
  added: z.number(),
  deleted: z.number(),
  /** The prompts and what each has changed, oldest first; only the newest of them. Absent for an older service. */
  rounds: z.optional(
    z.array(
      z.object({
        /** The beginning of the prompt. */
        prompt: z.string(),
        /** Its parent is the state before; null if nothing was changed, or if that is unknown. */
        commit: z.nullable(z.string().check(z.regex(/^[0-9a-f]{40,64}$/))),
      }),
    ),
  ),
});
export type JobChanges = z.infer<typeof changesSchema>;

export type Round = NonNullable<JobChanges['rounds']>[number];

export function toRounds(turns: readonly { prompt: string; commit: string | null }[]): Round[] {
  return turns.slice(-ROUNDS_LIMITS.rounds).map(({ prompt, commit }) => ({ prompt: startOfPrompt(prompt), commit }));
}

/** The part of a prompt by which a round is recognized. */
export function startOfPrompt(prompt: string): string {
  return prompt.slice(0, ROUNDS_LIMITS.characters);
}

/** How much a job has changed: the number of files, and of lines in them. */
export const changeCountsSchema = z.object({
  files: z.int().check(z.nonnegative()),
  added: z.int().check(z.nonnegative()),
  deleted: z.int().check(z.nonnegative()),
});
export type ChangeCounts = z.infer<typeof changeCountsSchema>;

/** Maps git's status letter to what happened to a file (git-diff(1), --diff-filter). */
function changeKind(status: string): JobChanges['files'][number]['kind'] {
  const kinds: Record<string, JobChanges['files'][number]['kind']> = {
    A: 'added',
    C: 'added',
    D: 'deleted',
    R: 'renamed',
  };
  return kinds[status] ?? 'changed';
}

/** Converts the summary of a diff between two commits to the answer's format. */
export function toJobChanges(commits: { base: string; commit: string }, { files, more }: DiffOfCommits): JobChanges {
  const sum = (side: 'added' | 'deleted'): number =>
    files.reduce((total, file) => total + (file[side] ?? 0), more[side]);
  return {
    ...commits,
    files: files.map(({ status, ...file }) => ({ ...file, kind: changeKind(status) })),
    more: more.files,
    added: sum('added'),
    deleted: sum('deleted'),
  };
}

export function toCounts(diff: DiffOfCommits): ChangeCounts {
  const { files, more, added, deleted } = toJobChanges({ base: '', commit: '' }, diff);
  return { files: files.length + more, added, deleted };
}

interface DiffOfCommits {
  files: readonly { path: string; from?: string; status: string; added: number | null; deleted: number | null }[];
  more: { files: number; added: number; deleted: number };
}

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
