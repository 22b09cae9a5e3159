/** In-memory draft files that can simulate a full disk. */
export class MemoryDrafts {
  readonly stored: { key: string; text: string; path: string }[] = [];
  failure: NodeJS.ErrnoException | undefined;
  writes = 0;

  async newest(key: string): Promise<{ text: string; path: string } | undefined> {
    return this.stored.findLast((each) => each.key === key);
  }

  async write(key: string, text: string): Promise<string> {
    this.writes++;
    if (this.failure !== undefined) {
      throw this.failure;
    }
    const path = `file ${this.writes}`;
    this.stored.push({ key, text, path });
    return path;
  }

  async remove(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      const index = this.stored.findIndex((each) => each.path === path);
      if (index !== -1) {
        this.stored.splice(index, 1);
      }
    }
  }

  async all(): Promise<never[]> {
    return [];
  }

  typed = async (): Promise<never[]> => [];

  async create(): Promise<never> {
    throw new Error('these tests create no files');
  }

  async removeEmpty(): Promise<void> {
    await this.create();
  }

  get texts(): string[] {
    return this.stored.map(({ text }) => text);
  }
}
