import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, move, removeFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { ComposedComment, KeptComment } from './reviewSchema';
import { TEMPORARY_SUFFIX, writeDurably } from './writeDurably';

export interface ReviewFilesOptions {
  /** The folder; made when there is something to keep. */
  root: string;
  /** A name that nobody else makes: letters and digits. */
  newId: () => string;
  log: Logger;
}

export interface KeptReview {
  /** The last text of each, in the order in which they were made. */
  comments: KeptComment[];
  /** Those that were put into a prompt, as they were put there last. */
  composed: ComposedComment[];
}

const DAMAGED_SUFFIX = '.damaged';

/** A temporary file older than this, in milliseconds, has no living writer; nor has a note on a comment that is gone. */
const STALE_MS = 600_000;

type Entry = { name: ReviewName } & ({ comment: KeptComment } | { composed: ComposedComment } | { unread: true });

/**
 * Comments that were written and not sent, a file for each text of each. A file is never changed: a later text is a new
 * file, and then the one before it goes. So windows share the folder without locks, and who removes what it has read can't
 * remove what it has not.
 */
export class ReviewFiles {
  private latest = 0;
  /** What this window knows of the folder, by file. */
  private readonly known = new Map<string, Entry>();

  constructor(private readonly options: ReviewFilesOptions) {}

  /** What all windows have kept by now. Rejects when the folder can't be read; a file that can't be is reported and left. */
  async all(): Promise<KeptReview> {
    // A file that goes while the folder is read has a later one in its place, most often.
    for (let tries = 3; !(await this.readNew()) && tries > 1;) {
      tries--;
    }
    const entries = [...this.known.values()].toSorted((one, other) => one.name.at - other.name.at);
    const comments = new Map(entries.flatMap((each) => ('comment' in each ? [[each.name.id, each.comment]] : [])));
    const composed = new Map(entries.flatMap((each) => ('composed' in each ? [[each.name.id, each.composed]] : [])));
    return { comments: [...comments.values()].toSorted((a, b) => a.at - b.at), composed: [...composed.values()] };
  }

  /** Keeps a comment; resolves when it would survive a crash of the machine. */
  async write(comment: KeptComment): Promise<void> {
    await this.put(comment, false, (name) => ({ name, comment }));
  }

  /** Keeps that a comment was put into a prompt. */
  async compose(composed: ComposedComment): Promise<void> {
    await this.put(composed, true, (name) => ({ name, composed }));
  }

  /** Removes the texts of a comment that this window knows. That it stands in a prompt stays known for a while. */
  async remove(id: string): Promise<void> {
    await this.removeFiles(this.filesOf(id, false));
  }

  /** Removes what this window knows of a comment that was sent. */
  async removeSent(id: string): Promise<void> {
    await this.removeFiles([...this.filesOf(id, false), ...this.filesOf(id, true)]);
  }

  private async put(
    value: KeptComment | ComposedComment,
    isComposed: boolean,
    entryOf: (name: ReviewName) => Entry,
  ): Promise<void> {
    const { root, newId } = this.options;
    const { REVIEW_VERSION } = await import('./reviewSchema');
    await makePrivateFolder(root);
    const before = this.filesOf(value.id, isComposed);
    const times = before.map((file) => (this.known.get(file)?.name.at ?? 0) + 1);
    this.latest = Math.max(Date.now(), this.latest + 1, ...times);
    const file = `${value.id}-${this.latest.toString(36).padStart(9, '0')}-${newId()}${isComposed ? '.composed' : ''}.json`;
    await writeDurably(join(root, file), JSON.stringify({ ...value, version: REVIEW_VERSION }));
    this.known.set(file, entryOf({ id: value.id, at: this.latest, isComposed }));
    await this.removeFiles(before);
  }

  private filesOf(id: string, isComposed: boolean): string[] {
    const ofIt = ({ name, ...what }: Entry): boolean =>
      name.id === id && name.isComposed === isComposed && !('unread' in what);
    return [...this.known].filter(([, entry]) => ofIt(entry)).map(([file]) => file);
  }

  /** Reads what is new in the folder and forgets what is gone. False when a file went before it could be read. */
  private async readNew(): Promise<boolean> {
    const files = await readdir(this.options.root).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return [];
      }
      throw error;
    });
    const there = new Set(files);
    [...this.known.keys()].filter((file) => !there.has(file)).forEach((file) => this.known.delete(file));
    let isWhole = true;
    for (const file of files) {
      const name = this.known.has(file) ? undefined : readReviewName(file);
      const entry = name && (await this.read(file, name));
      isWhole &&= entry !== 'gone';
      if (entry !== undefined && entry !== 'gone') {
        this.known.set(file, entry);
      }
    }
    await this.sweep(files);
    return isWhole;
  }

  private async read(file: string, name: ReviewName): Promise<Entry | 'gone' | undefined> {
    const { root, log } = this.options;
    const path = join(root, file);
    const { composedSchema, newerReviewSchema, reviewSchema } = await import('./reviewSchema');
    let content: string;
    try {
      content = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return 'gone';
      }
      log.warn(`the comment ${file} could not be read`, error);
      return undefined;
    }
    const value = decodeJson(content);
    const comment = reviewSchema.safeParse(value);
    const composed = composedSchema.safeParse(value);
    if (!name.isComposed && comment.success && comment.data.id === name.id) {
      return { name, comment: comment.data };
    }
    if (name.isComposed && composed.success && composed.data.id === name.id) {
      return { name, composed: composed.data };
    }
    if (newerReviewSchema.safeParse(value).success) {
      log.warn(`the comment ${file} was written by a newer version and is left as it is`);
      return { name, unread: true };
    }
    log.error(`the comment ${file} is damaged and was set aside as ${file}${DAMAGED_SUFFIX}`, comment.error);
    await move(path, path + DAMAGED_SUFFIX).catch((error: unknown) => log.warn(`the comment ${file} stays`, error));
    return undefined;
  }

  /** What a crash in the middle of a write left, and notes on comments that are gone for some time. */
  private async sweep(files: readonly string[]): Promise<void> {
    const { root, log } = this.options;
    const ids = new Set([...this.known.values()].filter(({ name }) => !name.isComposed).map(({ name }) => name.id));
    for (const file of files) {
      const name = readReviewName(file);
      const isNote = name?.isComposed === true && !ids.has(name.id);
      if (isNote || file.endsWith(TEMPORARY_SUFFIX)) {
        const { mtimeMs } = await stat(join(root, file)).catch(() => ({ mtimeMs: Infinity }));
        await (Date.now() - mtimeMs > STALE_MS &&
          this.removeFiles([file]).catch((error: unknown) => log.warn(`${file} stays`, error)));
      }
    }
  }

  private async removeFiles(files: readonly string[]): Promise<void> {
    for (const file of files) {
      await removeFile(join(this.options.root, file));
      this.known.delete(file);
    }
  }
}

/**
 * Of one comment the id and the time of its text in base 36, so that a later text is a later name; and who wrote it. What
 * says that it was put into a prompt is named alike.
 */
const NAME = /^([A-Za-z0-9]{1,64})-([0-9a-z]{9})-[A-Za-z0-9]+(\.composed)?\.json$/;

export interface ReviewName {
  id: string;
  /** Wall time in milliseconds. */
  at: number;
  isComposed: boolean;
}

/** What a file of the folder of comments is; undefined for one that is not ours. */
export function readReviewName(name: string): ReviewName | undefined {
  const [, id, at = '', composed] = NAME.exec(name) ?? [];
  return id === undefined ? undefined : { id, at: parseInt(at, 36), isComposed: composed !== undefined };
}
