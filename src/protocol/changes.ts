import * as z from 'zod/mini';

/** Which files of all are named in an answer, so that it stays far below what a client reads. */
export const CHANGES_LIMITS = { files: 500, characters: 100_000 };

/** `GET …/job/{id}/changes`: what the job has committed, file by file. */
export const changesSchema = z.object({
  /** The commits that are compared; null while nothing is committed. */
  base: z.nullable(z.string()),
  commit: z.nullable(z.string()),
  files: z.array(
    z.object({
      /** In the repository, with `/`. */
      path: z.string(),
      /** The former path of a renamed file. */
      from: z.optional(z.string()),
      kind: z.enum(['added', 'changed', 'deleted', 'renamed']),
      /** Lines; null in a binary file. */
      added: z.nullable(z.number()),
      deleted: z.nullable(z.number()),
    }),
  ),
  /** How many files there are beyond these. */
  more: z.number(),
  /** The lines of all files. */
  added: z.number(),
  deleted: z.number(),
});
export type JobChanges = z.infer<typeof changesSchema>;

/** What happened to a file, by git's letter (git-diff(1), --diff-filter). */
function changeKind(status: string): JobChanges['files'][number]['kind'] {
  const kinds: Record<string, JobChanges['files'][number]['kind']> = {
    A: 'added',
    C: 'added',
    D: 'deleted',
    R: 'renamed',
  };
  return kinds[status] ?? 'changed';
}

/** The summary of a diff between two commits as it is answered. */
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

interface DiffOfCommits {
  files: readonly { path: string; from?: string; status: string; added: number | null; deleted: number | null }[];
  more: { files: number; added: number; deleted: number };
}
