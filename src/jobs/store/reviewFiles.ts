import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, move, removeFile } from '../../base/files';
import { decodeJson } from '../../base/json';
import type { Logger } from '../../base/logger';
import type { ComposedComment, SavedComment } from './reviewSchema';
import { TEMPORARY_SUFFIX, writeDurably } from './writeDurably';

export interface ReviewFilesOptions {
  /** The folder; created when there is something to store. */
  root: string;
  /** Generates a unique id of letters and digits. */
  newId: () => string;
  log: Logger;
}

export interface SavedReview {
  /** The latest text of each comment, sent or not, in order of creation. */
  comments: SavedComment[];
  /** Comments that were put into a prompt, with the text last used there. */
  composed: ComposedComment[];
}

const DAMAGED_SUFFIX = '.damaged';

/**
 * A temporary file older than this, in milliseconds, has no living writer. A note about a deleted comment expires at
 * the same age.
 */
const STALE_MS = 600_000;

type Entry = { name: ReviewName } & ({ comment: SavedComment } | { composed: ComposedComment } | { unread: true });

/**
 * Comments on changes, one file per version of each text. Files are immutable: a later text is written to a new file,
 * then the previous one is removed. So windows share the folder without locks, and a window can only remove what it has
 * read.
 */
export class ReviewFiles {
  private latest = 0;
  /** The folder's entries known to this window, by file name. */
  private readonly known = new Map<string, Entry>();

  constructor(private readonly options: ReviewFilesOptions) {}

  /**
   * Returns the comments stored by all windows. Rejects if the folder can't be read. An unreadable file is reported and
   * left in place.
   */
  async all(): Promise<SavedReview> {
    // A file that vanishes during the read has usually been replaced by a later one, so read again.
    for (let tries = 3; !(await this.readNew()) && tries > 1;) {
      tries--;
    }
    const entries = [...this.known.values()].toSorted((one, other) => one.name.at - other.name.at);
    const ofKind = (kind: ReviewName['kind']): [string, SavedComment][] =>
      entries.flatMap((each) => ('comment' in each && each.name.kind === kind ? [[each.name.id, each.comment]] : []));
    // A text that was typed after the comment was sent counts, even if another window has only now noticed the sending.
    const comments = new Map([...ofKind('sent'), ...ofKind('comment')]);
    const composed = new Map(entries.flatMap((each) => ('composed' in each ? [[each.name.id, each.composed]] : [])));
    return { comments: [...comments.values()].toSorted((a, b) => a.at - b.at), composed: [...composed.values()] };
  }

  /**
   * Stores a comment. Resolves when it would survive a crash of the machine. The note that it was put into a prompt is
   * removed when it is sent, or is to be sent again.
   */
  async write(comment: SavedComment): Promise<void> {
    const kind = comment.sent === undefined ? 'comment' : 'sent';
    const other = kind === 'sent' ? 'comment' : 'sent';
    await this.put(comment, kind, (name) => ({ name, comment }));
    const others = this.filesOf(comment.id, other);
    if (kind === 'sent' || others.length > 0) {
      await this.removeFiles([...others, ...this.filesOf(comment.id, 'composed')]);
    }
  }

  /** Records that a comment was put into a prompt. */
  async compose(composed: ComposedComment): Promise<void> {
    await this.put(composed, 'composed', (name) => ({ name, composed }));
  }

  /**
   * Removes the texts of a comment that this window knows. The note that it was put into a prompt is kept for a while.
   */
  async remove(id: string): Promise<void> {
    await this.removeFiles([...this.filesOf(id, 'comment'), ...this.filesOf(id, 'sent')]);
  }

  private async put(
    value: SavedComment | ComposedComment,
    kind: ReviewName['kind'],
    entryOf: (name: ReviewName) => Entry,
  ): Promise<void> {
    const { root, newId } = this.options;
    const { REVIEW_VERSION } = await import('./reviewSchema');
    await makePrivateFolder(root);
    const before = this.filesOf(value.id, kind);
    const times = before.map((file) => (this.known.get(file)?.name.at ?? 0) + 1);
    this.latest = Math.max(Date.now(), this.latest + 1, ...times);
    const file = `${value.id}-${this.latest.toString(36).padStart(9, '0')}-${newId()}${kind === 'comment' ? '' : `.${kind}`}.json`;
    await writeDurably(join(root, file), JSON.stringify({ ...value, version: REVIEW_VERSION }));
    this.known.set(file, entryOf({ id: value.id, at: this.latest, kind }));
    await this.removeFiles(before);
  }

  private filesOf(id: string, kind: ReviewName['kind']): string[] {
    const ofIt = ({ name, ...what }: Entry): boolean => name.id === id && name.kind === kind && !('unread' in what);
    return [...this.known].filter(([, entry]) => ofIt(entry)).map(([file]) => file);
  }

  /**
   * Reads new files in the folder and forgets removed ones. Returns false if a file vanished before it could be read.
   */
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
      log.warn(`couldn’t read the comment ${file}`, error);
      return undefined;
    }
    const value = decodeJson(content);
    const comment = reviewSchema.safeParse(value);
    const composed = composedSchema.safeParse(value);
    const isSent = comment.data?.sent !== undefined;
    if (comment.data?.id === name.id && name.kind === (isSent ? 'sent' : 'comment')) {
      return { name, comment: comment.data };
    }
    if (name.kind === 'composed' && composed.success && composed.data.id === name.id) {
      return { name, composed: composed.data };
    }
    if (newerReviewSchema.safeParse(value).success) {
      log.warn(`the comment ${file} was written by a newer version and was left unchanged`);
      return { name, unread: true };
    }
    log.error(`the comment ${file} is damaged and was set aside as ${file}${DAMAGED_SUFFIX}`, comment.error);
    await move(path, path + DAMAGED_SUFFIX).catch((error: unknown) =>
      log.warn(`couldn’t move the comment ${file}`, error),
    );
    return undefined;
  }

  /** Removes leftovers of interrupted writes, and notes about comments deleted some time ago. */
  private async sweep(files: readonly string[]): Promise<void> {
    const { root, log } = this.options;
    const ids = new Set(
      [...this.known.values()].filter(({ name }) => name.kind !== 'composed').map(({ name }) => name.id),
    );
    for (const file of files) {
      const name = readReviewName(file);
      const isNote = name?.kind === 'composed' && !ids.has(name.id);
      if (isNote || file.endsWith(TEMPORARY_SUFFIX)) {
        const { mtimeMs } = await stat(join(root, file)).catch(() => ({ mtimeMs: Infinity }));
        await (Date.now() - mtimeMs > STALE_MS &&
          this.removeFiles([file]).catch((error: unknown) => log.warn(`couldn’t remove ${file}`, error)));
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
 * File name of a comment: its id, the time of its text in base 36 so that later texts sort later, and the writer's id.
 * The note that the comment was put into a prompt is named the same way, with `.composed`, and a comment that was sent
 * with `.sent`.
 */
const NAME = /^([A-Za-z0-9]{1,64})-([0-9a-z]{9})-[A-Za-z0-9]+(?:\.(composed|sent))?\.json$/;

export interface ReviewName {
  id: string;
  /** Wall time in milliseconds. */
  at: number;
  kind: 'comment' | 'composed' | 'sent';
}

/** Parses a file name in the comments folder; returns undefined if the file is not ours. */
export function readReviewName(name: string): ReviewName | undefined {
  const [, id, at = '', kind = 'comment'] = NAME.exec(name) ?? [];
  return id === undefined ? undefined : { id, at: parseInt(at, 36), kind: kind as ReviewName['kind'] };
}
