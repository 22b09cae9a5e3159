import type { ChangeCount, ChangedFile } from './changedFile';

/** So many files are kept by name; the rest are counted. */
const MAX_NAMED = 20_000;

/**
 * Reads what `git diff --raw --numstat -z` prints, in pieces as they come: first `:modes ids STATUS NUL path NUL` for each
 * file, then `added TAB deleted TAB path NUL`; a renamed file has two paths, of which the second is the new one.
 */
export class SummaryReader {
  readonly files: ChangedFile[] = [];
  /** Files that are not among `files`. */
  readonly more: ChangeCount = { files: 0, added: 0, deleted: 0 };
  private readonly statuses = new Map<string, string>();
  private rest = '';
  /** Parts of an entry that is not whole yet. */
  private entry: string[] = [];

  push(text: string): void {
    const parts = (this.rest + text).split('\0');
    this.rest = parts.pop() ?? '';
    for (const part of parts) {
      this.entry.push(part);
      this.takeWhole();
    }
  }

  private takeWhole(): void {
    const [head = '', first = '', second] = this.entry;
    if (head.startsWith(':')) {
      const status = head.split(' ').at(-1)?.[0] ?? 'M';
      const isWhole = this.entry.length === (status === 'R' || status === 'C' ? 3 : 2);
      if (isWhole) {
        this.entry = [];
        if (this.statuses.size < MAX_NAMED) {
          this.statuses.set(second ?? first, status);
        }
      }
      return;
    }
    const [added = '', deleted = '', ...path] = head.split('\t');
    const name = path.join('\t');
    if (path.length > 0 && name === '' && this.entry.length < 3) {
      return;
    }
    this.entry = [];
    if (path.length > 0) {
      this.take(name === '' ? { path: second ?? '', from: first } : { path: name }, count(added), count(deleted));
    }
  }

  private take(names: { path: string; from?: string }, added: number | null, deleted: number | null): void {
    if (this.files.length < MAX_NAMED) {
      const status = this.statuses.get(names.path) ?? 'M';
      const hidden = added === null ? { hidden: 'binary' } : {};
      this.files.push({ ...names, status, added, deleted, ...hidden });
      return;
    }
    this.more.files += 1;
    this.more.added += added ?? 0;
    this.more.deleted += deleted ?? 0;
  }
}

function count(text: string): number | null {
  return text === '-' ? null : Number(text);
}
