/** A file in a diff. The counts are lines; null for a binary file. */
export interface ChangedFile {
  path: string;
  /** The former path of a renamed file. */
  from?: string;
  added: number | null;
  deleted: number | null;
}

/** Reads what `git diff --numstat -z` prints: `added TAB deleted TAB path NUL`, or for a rename an empty path and two more. */
export function parseNumstat(text: string): ChangedFile[] {
  const parts = text.split('\0');
  const files: ChangedFile[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const [added, deleted, path] = (parts[index] ?? '').split('\t');
    if (added === undefined || deleted === undefined || path === undefined) {
      continue;
    }
    const counts = { added: count(added), deleted: count(deleted) };
    if (path === '') {
      files.push({ ...counts, from: parts[index + 1] ?? '', path: parts[index + 2] ?? '' });
      index += 2;
    } else {
      files.push({ ...counts, path });
    }
  }
  return files;
}

function count(text: string): number | null {
  return text === '-' ? null : Number(text);
}
