/** A file that a change touches, before its text is read. */
export interface ChangedFile {
  path: string;
  /** The former path of a renamed file. */
  from?: string;
  /** What happened to it: git's letter (git-diff(1), --diff-filter), or `?` for a file that git does not know yet. */
  status: string;
  /** Lines; null where they are not counted, as in a binary file. */
  added: number | null;
  deleted: number | null;
  /** Why its text can't be shown: “binary”. */
  hidden?: string;
}

/** Files and their lines, where not every file is named. */
export interface ChangeCount {
  files: number;
  added: number;
  deleted: number;
}

/** The lines that a change adds or removes in the file; 0 where they are not counted. */
export function changedLines({ added, deleted }: ChangedFile): number {
  return (added ?? 0) + (deleted ?? 0);
}

export function countOf(files: readonly ChangedFile[]): ChangeCount {
  const count: ChangeCount = { files: files.length, added: 0, deleted: 0 };
  for (const { added, deleted } of files) {
    count.added += added ?? 0;
    count.deleted += deleted ?? 0;
  }
  return count;
}
