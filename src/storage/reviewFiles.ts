import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeJson } from '../shared/util/decodeJson';
import type { Logger } from '../shared/util/logger';
import type { KeptComment } from './reviewSchema';
import { writeDurably } from './writeDurably';

export interface ReviewFilesOptions {
  /** The folder; made when there is something to keep. */
  root: string;
  /** A name that nobody else makes: letters and digits. */
  newId: () => string;
  log: Logger;
}

/** Of one comment the id and the time of its text in base 36, so that a later text is a later name. */
const NAME = /^([A-Za-z0-9]{1,64})-([0-9a-z]{9})-[A-Za-z0-9]+\.json$/;

/**
 * Comments that were written and not sent, a file for each text of each. A file is never changed: a later text is a new
 * file, and then the one before it goes. So windows share the folder without locks.
 */
export class ReviewFiles {
  private latest = 0;

  constructor(private readonly options: ReviewFilesOptions) {}

  /** All comments, the last text of each, in the order in which they were made. Never rejects: what can't be read is reported. */
  async all(): Promise<KeptComment[]> {
    const found = new Map<string, KeptComment>();
    for (const name of (await this.names()).toSorted((a, b) => compare(timeOf(a), timeOf(b)))) {
      const comment = await this.read(name);
      if (comment !== undefined) {
        found.set(comment.id, comment);
      }
    }
    return [...found.values()].toSorted((a, b) => a.at - b.at);
  }

  /** Keeps a comment; resolves when it would survive a crash of the machine. */
  async write(comment: KeptComment): Promise<void> {
    const { root, newId } = this.options;
    const { REVIEW_VERSION } = await import('./reviewSchema');
    await mkdir(root, { recursive: true, mode: 0o700 });
    const before = await this.names(comment.id);
    this.latest = Math.max(Date.now(), this.latest + 1, ...before.map((name) => parseInt(timeOf(name), 36) + 1));
    const name = `${comment.id}-${this.latest.toString(36).padStart(9, '0')}-${newId()}.json`;
    await writeDurably(join(root, name), JSON.stringify({ ...comment, version: REVIEW_VERSION }));
    await this.removeFiles(before);
  }

  async remove(id: string): Promise<void> {
    await this.removeFiles(await this.names(id));
  }

  private async names(id?: string): Promise<string[]> {
    const all = await readdir(this.options.root).catch(() => []);
    return all.filter((name) => NAME.test(name) && (id === undefined || NAME.exec(name)?.[1] === id));
  }

  private async read(name: string): Promise<KeptComment | undefined> {
    const { reviewSchema } = await import('./reviewSchema');
    try {
      return reviewSchema.parse(decodeJson(await readFile(join(this.options.root, name), 'utf8')));
    } catch (error) {
      // Of another build, or damaged: it is left as it is.
      this.options.log.warn(`the comment ${name} could not be read`, error);
      return undefined;
    }
  }

  private async removeFiles(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rm(join(this.options.root, name), { force: true });
    }
  }
}

function timeOf(name: string): string {
  return NAME.exec(name)?.[2] ?? '';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
