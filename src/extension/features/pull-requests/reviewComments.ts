import * as vscode from 'vscode';
import { KeyedQueue } from '../../../base/async';
import { DisposableStore } from '../../../base/disposable';
import type { Logger } from '../../../base/logger';
import type { JobStore } from '../../../jobs/jobStore';
import { withFullPrompts } from '../../../jobs/promptTruncation';
import { ReviewFiles } from '../../../jobs/store/reviewFiles';
import type { ComposedComment, KeptComment } from '../../../jobs/store/reviewSchema';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { commentBlock, findRemainingBlocks } from '../../../prompt/reviewComments';
import type { CommentCounts } from '../../platform/commentCounts';
import { jobTitle } from '../../presentation/jobText';
import { ReviewLocations, type ShownChange } from './reviewLocations';
import { commentAt, CommentThreads, CONTROLLER_ID, type DraftComment, moved, relocated } from './commentThreads';
import { asComposed, sentComments, showBothVersionsKept, showUnsentComments } from './sentComments';

export interface ReviewCommentsOptions {
  files: ReviewFiles;
  store: JobStore;
  counts: CommentCounts;
  localAvailable: boolean;
  newId: () => string;
  log: Logger;
}

export function startReview(shared: Omit<ReviewCommentsOptions, 'files'> & { reviewFolder: string }): ReviewComments {
  const { reviewFolder: root, newId, log } = shared;
  const review = new ReviewComments({ ...shared, files: new ReviewFiles({ root, newId, log }) });
  review.load().catch((error: unknown) => log.error('couldn’t read comments on changes', error));
  return review;
}

/**
 * Comments on lines of job changes, with the editor's comment UI. A comment counts as made once it is on disk, and is
 * removed only after a prompt that contains it was saved. All windows share the comments, so every operation starts by
 * rereading them.
 */
export class ReviewComments implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly kept = new Map<string, KeptComment>();
  private composed: readonly ComposedComment[] = [];
  private readonly places: ReviewLocations;
  private readonly threads: CommentThreads;
  private readonly turns = new KeyedQueue();

  constructor(private readonly options: ReviewCommentsOptions) {
    const { store } = options;
    this.places = new ReviewLocations(store, options.localAvailable);
    const label = vscode.l10n.t('Docs Agent');
    const controller = this.owned.add(vscode.comments.createCommentController(CONTROLLER_ID, label));
    const prompt = vscode.l10n.t('Comment for the agent');
    controller.options = { prompt, placeHolder: vscode.l10n.t('What should the agent change here?') };
    controller.commentingRangeProvider = { provideCommentingRanges: (document) => this.rangesOf(document) };
    this.threads = this.owned.add(new CommentThreads(controller, (key) => titleIn(store, key)));
    this.owned.add(
      store.onDidChange(({ job, before, event }) => {
        if (job.sends.length !== before?.sends.length) {
          void this.forgetSent(job, before, event !== undefined);
        }
      }),
    );
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Reads the comments written by any window, and removes those already sent. */
  async load(): Promise<void> {
    await this.inTurn(async () => {
      await this.read();
      // Another window may have sent them, or this one just before it closed.
      for (const job of this.options.store.jobs) {
        await this.forgetHeld(job, undefined);
      }
    });
  }

  /** The unsent comments of a job, oldest first. */
  async of(jobKey: string): Promise<KeptComment[]> {
    await this.inTurn(() => this.read());
    return [...this.kept.values()].filter((each) => each.jobKey === jobKey).toSorted((a, b) => a.at - b.at);
  }

  /**
   * Call this when a change is opened: moves comments from an older version to it, along with the lines that they
   * quote.
   */
  async show(change: ShownChange, uriOf: (path: string) => vscode.Uri): Promise<void> {
    this.places.show(change);
    for (const comment of await this.of(change.jobKey)) {
      const uri = uriOf(comment.path);
      if (comment.side === 'new' && !comment.uri.startsWith('file:') && comment.uri !== uri.toString()) {
        const now = await moved(comment, uri);
        await this.replace(comment, now).catch((error: unknown) =>
          this.options.log.warn('couldn’t move a comment to the new change', error),
        );
      }
    }
  }

  /** Updates the line numbers of comments. */
  async relocate(jobKey: string): Promise<void> {
    for (const comment of await this.of(jobKey)) {
      await this.replace(comment, await relocated(comment, this.places));
    }
  }

  /** Creates a comment from the text typed in a new thread. */
  async add(thread: vscode.CommentThread, text: string): Promise<void> {
    const found = await this.places.of(thread.uri);
    if (found === undefined) {
      throw new Error(
        vscode.l10n.t('these lines are no longer part of a job’s changes. Copy your comment before you close it'),
      );
    }
    const comment = await commentAt(thread, found, { id: this.options.newId(), text });
    await this.inTurn(() => this.keep(comment, thread));
  }

  edit(comment: DraftComment, mode: vscode.CommentMode): void {
    if (mode === vscode.CommentMode.Preview) {
      comment.body = comment.kept.text;
    }
    this.threads.edit(comment, mode);
    if (mode === vscode.CommentMode.Preview && !this.kept.has(comment.kept.id)) {
      this.threads.remove(comment.kept.id);
    }
  }

  /** The comment of the job that is being edited; undefined when there is none. */
  edited(jobKey: string): KeptComment | undefined {
    return [...this.kept.values()].find((each) => each.jobKey === jobKey && this.threads.isEdited(each.id));
  }

  /**
   * Saves an edited text: replaces the previous one or, if another window changed the comment in the meantime, adds a
   * second comment. Empty text changes nothing. If the comment was sent in the meantime, it is created again.
   */
  change(comment: DraftComment, text: string): Promise<void> {
    return this.inTurn(async () => {
      await this.read();
      const kept = this.kept.get(comment.kept.id);
      if (text.trim() === '' || text === comment.base) {
        this.edit(comment, vscode.CommentMode.Preview);
        return;
      }
      const before = kept ?? comment.kept;
      const isOther = kept !== undefined && kept.text !== comment.base && kept.text !== text;
      const now = isOther ? { ...before, text, id: this.options.newId(), at: Date.now() } : { ...before, text };
      await this.options.files.write(now).catch((error: unknown) => {
        this.threads.reopen(comment);
        throw error;
      });
      comment.mode = vscode.CommentMode.Preview;
      this.take(now);
      if (isOther) {
        this.take(before);
        showBothVersionsKept();
      }
    });
  }

  remove(id: string): Promise<void> {
    return this.inTurn(async () => {
      await this.read();
      await this.options.files.remove(id);
      this.forget(id);
    });
  }

  /** Restores a deleted comment. */
  restore(comment: KeptComment): Promise<void> {
    return this.inTurn(() => this.keep(comment));
  }

  /** True when there are unsent comments on the job's changes. */
  has(jobKey: string): boolean {
    return this.options.counts.get(jobKey) > 0;
  }

  /** The comments that are not in the prompt yet. */
  notIn(prompt: string, comments: readonly KeptComment[]): KeptComment[] {
    const held = new Set(findRemainingBlocks(prompt, asComposed(this.composed, comments)).map(({ id }) => id));
    return comments.filter(({ id }) => !held.has(id));
  }

  /** Records that the comments are being put into a prompt; they are removed once that prompt is saved. */
  compose(comments: readonly KeptComment[]): Promise<void> {
    return this.inTurn(async () => {
      for (const comment of comments) {
        const { id, jobKey } = comment;
        await this.options.files.compose({ ...commentBlock(comment), id, jobKey, at: Date.now() });
      }
      await this.read();
    });
  }

  /** The job that a thread belongs to. */
  async jobOf(thread: vscode.CommentThread): Promise<string | undefined> {
    const id = this.threads.idOf(thread);
    return id === undefined ? (await this.places.of(thread.uri))?.jobKey : this.kept.get(id)?.jobKey;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(CONTROLLER_ID, work);
  }

  /** Loads the comments from disk. If that fails, nothing changes. */
  private async read(): Promise<void> {
    const found = await this.options.files.all().catch((error: unknown) => {
      this.options.log.error('couldn’t read comments on changes', error);
    });
    if (found === undefined) {
      return;
    }
    this.composed = found.composed;
    const there = new Set(found.comments.map(({ id }) => id));
    [...this.kept.keys()].filter((id) => !there.has(id)).forEach((id) => this.forget(id));
    found.comments.filter((each) => this.kept.get(each.id) !== each).forEach((each) => this.take(each));
  }

  /** Does nothing if the comment was changed in the meantime. */
  private replace(comment: KeptComment, now: KeptComment): Promise<void> {
    return this.inTurn(async () => {
      await this.read();
      if (this.kept.get(comment.id) === comment && JSON.stringify(now) !== JSON.stringify(comment)) {
        await this.keep(now);
      }
    });
  }

  private async keep(comment: KeptComment, thread?: vscode.CommentThread): Promise<void> {
    await this.options.files.write(comment);
    this.take(comment, thread);
  }

  private take(comment: KeptComment, thread?: vscode.CommentThread): void {
    this.kept.set(comment.id, comment);
    this.count(comment.jobKey);
    try {
      this.threads.show(comment, thread);
    } catch (error) {
      this.options.log.warn(`couldn’t show the comment ${comment.id}`, error);
    }
  }

  /** A comment being edited stays in the editor until it is saved or the edit is canceled. */
  private forget(id: string): void {
    const comment = this.kept.get(id);
    this.kept.delete(id);
    if (!this.threads.isEdited(id)) {
      this.threads.remove(id);
    }
    this.count(comment?.jobKey);
  }

  private count(jobKey: string | undefined): void {
    if (jobKey !== undefined) {
      this.options.counts.set(jobKey, [...this.kept.values()].filter((each) => each.jobKey === jobKey).length);
    }
  }

  /** Removes comments only now that the outbox has saved a follow-up that contains them. */
  private async forgetSent(job: TrackedJob, before: TrackedJob | undefined, isOwn: boolean): Promise<void> {
    const left = await this.inTurn(async () => {
      await this.read();
      return this.forgetHeld(job, before);
    });
    if (isOwn && left > 0) {
      showUnsentComments(left);
    }
  }

  /** Returns how many of the comments put into the same prompt were no longer in it. Never rejects. */
  private async forgetHeld(job: TrackedJob, before: TrackedJob | undefined): Promise<number> {
    // A comment may be at the end of a long prompt, of which only the beginning is in memory.
    const isPut = this.composed.some(({ jobKey }) => jobKey === job.key);
    const whole = isPut ? await withFullPrompts(this.options.store, job) : job;
    const { sent, left } = sentComments(whole, before, this.composed, [...this.kept.values()]);
    for (const id of sent) {
      await this.options.files
        .removeSent(id)
        .catch((error: unknown) => this.options.log.warn('couldn’t remove a submitted comment', error));
      this.forget(id);
    }
    return left;
  }

  private async rangesOf(document: vscode.TextDocument): Promise<vscode.CommentingRanges | undefined> {
    const place = await this.places.of(document.uri);
    return place && { enableFileComments: false, ranges: [new vscode.Range(0, 0, document.lineCount - 1, 0)] };
  }
}

function titleIn(store: JobStore, key: string): string {
  const job = store.get(key);
  return job === undefined ? key : jobTitle(job);
}
