import type * as vscode from 'vscode';
import type { Logger } from '../../../base/logger';
import type { ReviewFiles } from '../../../jobs/store/reviewFiles';
import type { ComposedComment, SavedComment } from '../../../jobs/store/reviewSchema';
import type { CommentCounts } from '../../platform/commentCounts';
import type { CommentThreads } from './commentThreads';

/** How many sent comments are kept, because all of them are read at start; the oldest are removed first. */
const MAX_SENT = 2_000;

/** The comments that all windows share: on disk, in memory, and in the editor. Callers take turns. */
export class SharedComments {
  readonly comments = new Map<string, SavedComment>();
  composed: readonly ComposedComment[] = [];

  constructor(
    private readonly parts: { files: ReviewFiles; counts: CommentCounts; log: Logger },
    private readonly threads: CommentThreads,
  ) {}

  /** The unsent comments of a job, oldest first. */
  unsent(jobKey: string): SavedComment[] {
    return this.ofJob(jobKey, ({ sent }) => sent === undefined);
  }

  /** The comments of a job that the agent has not addressed, sent or not. */
  open(jobKey: string): SavedComment[] {
    return this.ofJob(jobKey, ({ sent }) => sent?.state !== 'addressed');
  }

  /** The comments of a job that were sent, and that no run has dealt with yet. */
  sent(jobKey: string): SavedComment[] {
    return this.ofJob(jobKey, ({ sent }) => sent?.state === 'sent');
  }

  /** Loads the comments from disk. If that fails, nothing changes. */
  async read(): Promise<void> {
    const found = await this.parts.files.all().catch((error: unknown) => {
      this.parts.log.error('couldn’t read comments on changes', error);
    });
    if (found === undefined) {
      return;
    }
    this.composed = found.composed;
    const there = new Set(found.comments.map(({ id }) => id));
    const gone = [...this.comments.values()].filter(({ id }) => !there.has(id));
    gone.forEach(({ id }) => this.drop(id));
    const fresh = found.comments.filter((each) => this.comments.get(each.id) !== each);
    fresh.forEach((each) => this.put(each));
    this.count([...gone, ...fresh]);
  }

  async save(comment: SavedComment, thread?: vscode.CommentThread): Promise<void> {
    await this.parts.files.write(comment);
    this.apply(comment, thread);
  }

  apply(comment: SavedComment, thread?: vscode.CommentThread): void {
    this.put(comment, thread);
    this.count([comment]);
  }

  private put(comment: SavedComment, thread?: vscode.CommentThread): void {
    this.comments.set(comment.id, comment);
    try {
      this.threads.show(comment, thread);
    } catch (error) {
      this.parts.log.warn(`couldn’t show the comment ${comment.id}`, error);
    }
  }

  /** A comment being edited stays in the editor until it is saved or the edit is canceled. */
  forget(id: string): void {
    const comment = this.comments.get(id);
    this.drop(id);
    this.count(comment === undefined ? [] : [comment]);
  }

  private drop(id: string): void {
    this.comments.delete(id);
    if (!this.threads.isEdited(id)) {
      this.threads.remove(id);
    }
  }

  /** Marks a comment as sent. It stays at its lines, for the user's next look at them. */
  async markSent(id: string): Promise<void> {
    const comment = this.comments.get(id);
    if (comment === undefined) {
      return;
    }
    const { uri, from } = comment;
    await this.save({ ...comment, sent: { at: Date.now(), state: 'sent', uri, from } });
    const sent = [...this.comments.values()].filter((each) => each.sent !== undefined).toSorted((a, b) => a.at - b.at);
    for (const old of sent.slice(0, -MAX_SENT)) {
      await this.parts.files.remove(old.id);
      this.forget(old.id);
    }
  }

  private ofJob(jobKey: string, fits: (comment: SavedComment) => boolean): SavedComment[] {
    return [...this.comments.values()]
      .filter((each) => each.jobKey === jobKey && fits(each))
      .toSorted((a, b) => a.at - b.at);
  }

  /** Counts the unsent comments of the jobs of these comments: all at once, because there may be thousands. */
  private count(changed: readonly SavedComment[]): void {
    const unsent = new Map(changed.map(({ jobKey }) => [jobKey, 0]));
    for (const { jobKey, sent } of this.comments.values()) {
      const count = unsent.get(jobKey);
      if (count !== undefined && sent === undefined) {
        unsent.set(jobKey, count + 1);
      }
    }
    unsent.forEach((count, jobKey) => this.parts.counts.set(jobKey, count));
  }
}
