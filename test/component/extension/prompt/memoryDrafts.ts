import type { StoredDraft, TargetDraft } from '../../../../src/jobs/store/draftFiles';

/** In-memory draft files that can simulate a full disk. */
export class MemoryDrafts {
  readonly stored: { target: string; text: string; file: string }[] = [];
  failure: NodeJS.ErrnoException | undefined;
  writes = 0;

  async newest(target: string): Promise<StoredDraft | undefined> {
    return this.stored.findLast((each) => each.target === target);
  }

  async all(): Promise<TargetDraft[]> {
    const newest = new Map(this.stored.map((each, at) => [each.target, { ...each, at }]));
    return [...newest.values()].map(({ target, text, at }) => ({ target, text, at }));
  }

  async write(target: string, text: string): Promise<string> {
    this.writes++;
    if (this.failure !== undefined) {
      throw this.failure;
    }
    const file = `file ${this.writes}`;
    this.stored.push({ target, text, file });
    return file;
  }

  async remove(files: Iterable<string>): Promise<void> {
    for (const file of files) {
      const index = this.stored.findIndex((each) => each.file === file);
      if (index !== -1) {
        this.stored.splice(index, 1);
      }
    }
  }

  get texts(): string[] {
    return this.stored.map(({ text }) => text);
  }
}
