import * as vscode from 'vscode';
import { KeyedQueue } from '../../../base/async';
import { isBlank } from '../../../base/text';
import { DisposableStore } from '../../../base/disposable';
import type { Logger } from '../../../base/logger';
import type { JobStore } from '../../../jobs/jobStore';
import { ReviewFiles } from '../../../jobs/store/reviewFiles';
import type { SavedComment } from '../../../jobs/store/reviewSchema';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { commentBlock, findRemainingBlocks } from '../../../prompt/reviewComments';
import type { App } from '../../app';
import type { CommentCounts } from '../../platform/commentCounts';
import { newId } from '../../platform/host';
import {
  decideOutcomes,
  isFollowUpPending,
  asComposed,
  countDiscarded,
  discardedComments,
  sentComments,
  showBothVersionsKept,
  showUnsentComments,
} from './sentComments';
import { reviewFolder } from './restorePullRequests';
import { ReviewLocations, type ShownChange } from './reviewLocations';
import {
  commentAt,
  commentBoxTexts,
  CommentThreads,
  CONTROLLER_ID,
  type DraftComment,
  followComment,
  moveComment,
  relocateComment,
} from './commentThreads';
import { SharedComments } from './sharedComments';

export interface ReviewCommentsOptions {
  files: ReviewFiles;
  store: JobStore;
  counts: CommentCounts;
  localAvailable: boolean;
  newId: () => string;
  log: Logger;
}

export function startReview(app: Pick<App, 'data' | 'store' | 'counts' | 'localAvailable' | 'log'>): ReviewComments {
  const { log } = app;
  const files = new ReviewFiles({ root: reviewFolder(app.data), newId, log });
  const review = new ReviewComments({ ...app, newId, files });
  review.load().catch((error: unknown) => log.error('couldn’t read comments on changes', error));
  return review;
}

/**
 * Comments on lines of job changes, with the editor's comment UI. A comment counts as made once it is on disk, and as
 * sent only after a prompt that contains it was saved. All windows share the comments, so every operation starts by
 * rereading them.
 */
export class ReviewComments implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly shared: SharedComments;
  private readonly places: ReviewLocations;
  private readonly threads: CommentThreads;
  private readonly turns = new KeyedQueue();

  constructor(private readonly options: ReviewCommentsOptions) {
    const { store } = options;
    this.places = new ReviewLocations(store, options.localAvailable);
    const label = vscode.l10n.t('Docs Agent');
    const controller = this.owned.add(vscode.comments.createCommentController(CONTROLLER_ID, label));
    controller.options = commentBoxTexts();
    controller.commentingRangeProvider = { provideCommentingRanges: (document) => this.rangesOf(document) };
    this.threads = this.owned.add(new CommentThreads(controller, store));
    this.shared = new SharedComments(options, this.threads);
    this.owned.add(
      store.onDidChange(({ job, before, event }) => {
        if (job.prompts.length !== before?.prompts.length || countDiscarded(job) !== countDiscarded(before)) {
          void this.noteSent(job, before, event !== undefined);
        }
        if (job.endedAt !== undefined && job.endedAt !== before?.endedAt) {
          this.noteEnd(job).catch((error: unknown) => options.log.warn('couldn’t follow comments', error));
        }
      }),
    );
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Reads the comments written by any window, and notes which were sent. */
  async load(): Promise<void> {
    await this.inTurn(async () => {
      await this.shared.read();
      // Another window may have sent them, or this one just before it closed.
      for (const job of this.options.store.jobs) {
        await this.noteHeld(job, undefined);
      }
    });
  }

  /** The unsent comments of a job, oldest first, or all that the agent has not addressed. */
  async get(jobKey: string, which: 'unsent' | 'open' = 'unsent'): Promise<SavedComment[]> {
    await this.inTurn(() => this.shared.read());
    return this.shared[which](jobKey);
  }

  /**
   * Call this when a change is opened: moves comments from an older version to it, along with the lines that they
   * quote, and determines the outcome of those that the agent has worked on.
   */
  async show(change: ShownChange, uriOf: (path: string, side: SavedComment['side']) => vscode.Uri): Promise<void> {
    const { jobKey, endedAt = 0 } = change;
    this.places.show(change);
    await this.inTurn(() => this.shared.read());
    const isPending = isFollowUpPending(this.options.store.get(jobKey));
    for (const comment of [...this.shared.comments.values()].filter((each) => each.jobKey === jobKey)) {
      const uri = uriOf(comment.path, comment.side);
      const isOther = !comment.uri.startsWith('file:') && comment.uri !== uri.toString();
      const isSent = comment.sent !== undefined && !(isPending && comment.sent.state === 'sent');
      const isDone = isSent && (isOther || endedAt > (comment.sent?.at ?? 0));
      if (isDone || (isOther && !isSent)) {
        const now = isDone ? await followComment(comment, uri) : await moveComment(comment, uri);
        await this.replace(comment, now).catch((error: unknown) =>
          this.options.log.warn('couldn’t move a comment to the new change', error),
        );
      }
    }
  }

  /** Updates the line numbers of comments. */
  async relocate(jobKey: string): Promise<void> {
    for (const comment of await this.get(jobKey)) {
      await this.replace(comment, await relocateComment(comment, this.places));
    }
  }

  /** Creates a comment from the text typed in a new thread. */
  async add(thread: vscode.CommentThread, text: string): Promise<void> {
    const found = await this.places.get(thread.uri);
    if (found === undefined) {
      throw new Error(
        vscode.l10n.t('these lines are no longer part of a job’s changes. Copy your comment before you close it'),
      );
    }
    const comment = await commentAt(thread, found, { id: this.options.newId(), text });
    await this.inTurn(() => this.shared.save(comment, thread));
  }

  edit(comment: DraftComment, mode: vscode.CommentMode): void {
    if (mode === vscode.CommentMode.Preview) {
      comment.body = comment.saved.text;
    }
    this.threads.edit(comment, mode);
    if (mode === vscode.CommentMode.Preview && !this.shared.comments.has(comment.saved.id)) {
      this.threads.remove(comment.saved.id);
    }
  }

  /** The comments of the job that are being edited. */
  edited(jobKey: string): SavedComment[] {
    return [...this.shared.comments.values()].filter(
      (each) => each.jobKey === jobKey && this.threads.isEdited(each.id),
    );
  }

  /**
   * Saves an edited text: replaces the previous one or, if another window changed the comment in the meantime, adds a
   * second comment. Empty text changes nothing. A comment that was sent becomes an unsent one.
   */
  change(comment: DraftComment, text: string): Promise<void> {
    return this.inTurn(async () => {
      await this.shared.read();
      const saved = this.shared.comments.get(comment.saved.id);
      if (isBlank(text) || text === comment.base) {
        this.edit(comment, vscode.CommentMode.Preview);
        return;
      }
      // The changed text has not been sent.
      const before = { ...(saved ?? comment.saved), sent: undefined };
      const isOther = saved !== undefined && saved.text !== comment.base && saved.text !== text;
      const now = isOther ? { ...before, text, id: this.options.newId(), at: Date.now() } : { ...before, text };
      await this.options.files.write(now).catch((error: unknown) => {
        this.threads.reopen(comment);
        throw error;
      });
      comment.mode = vscode.CommentMode.Preview;
      this.shared.apply(now);
      if (isOther) {
        this.shared.apply(saved);
        showBothVersionsKept();
      }
    });
  }

  remove(id: string): Promise<void> {
    return this.inTurn(async () => {
      await this.shared.read();
      await this.options.files.remove(id);
      this.shared.forget(id);
    });
  }

  /** Restores a deleted comment. */
  restore(comment: SavedComment): Promise<void> {
    return this.inTurn(() => this.shared.save(comment));
  }

  /** Makes a comment that the agent did not address unsent again, so that the next follow-up includes it. */
  resend(thread: vscode.CommentThread): Promise<void> {
    return this.inTurn(async () => {
      await this.shared.read();
      const { sent, ...comment } = this.shared.comments.get(this.threads.idOf(thread) ?? '') ?? {};
      if (sent?.state === 'open') {
        await this.shared.save(comment as SavedComment);
      }
    });
  }

  /** True when there are unsent comments on the job's changes. */
  has(jobKey: string): boolean {
    return this.options.counts.get(jobKey) > 0;
  }

  /** The comments that are not in the prompt yet. */
  notIn(prompt: string, comments: readonly SavedComment[]): SavedComment[] {
    const held = new Set(findRemainingBlocks(prompt, asComposed(this.shared.composed, comments)).map(({ id }) => id));
    return comments.filter(({ id }) => !held.has(id));
  }

  /** Records that the comments are being put into a prompt; they count as sent once that prompt is saved. */
  compose(comments: readonly SavedComment[]): Promise<void> {
    return this.inTurn(async () => {
      for (const { id, jobKey, ...comment } of comments) {
        await this.options.files.compose({ ...commentBlock(comment), id, jobKey, at: Date.now() });
      }
      await this.shared.read();
    });
  }

  /** The job that a thread belongs to. */
  async jobOf(thread: vscode.CommentThread): Promise<string | undefined> {
    const id = this.threads.idOf(thread);
    return id === undefined ? (await this.places.get(thread.uri))?.jobKey : this.shared.comments.get(id)?.jobKey;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(CONTROLLER_ID, work);
  }

  /** Does nothing if the comment was changed in the meantime. */
  private replace(comment: SavedComment, now: SavedComment): Promise<void> {
    return this.inTurn(async () => {
      await this.shared.read();
      if (this.shared.comments.get(comment.id) === comment && JSON.stringify(now) !== JSON.stringify(comment)) {
        await this.shared.save(now);
      }
    });
  }

  /** Comments count as sent only now that the outbox has saved a follow-up that contains them, and until it is discarded. */
  private async noteSent(job: TrackedJob, before: TrackedJob | undefined, isOwn: boolean): Promise<void> {
    const left = await this.inTurn(async () => {
      await this.shared.read();
      return this.noteHeld(job, before);
    });
    if (isOwn && left > 0) {
      showUnsentComments(left);
    }
  }

  /** Returns how many of the comments put into the same prompt were no longer in it. Never rejects. */
  private async noteHeld(job: TrackedJob, before: TrackedJob | undefined): Promise<number> {
    const marked = countDiscarded(job) === 0 ? [] : this.shared.sent(job.key);
    const { sent, left } = sentComments(job, before, this.shared.composed, this.shared.unsent(job.key));
    const onUnsaved = (error: unknown): void => this.options.log.warn('couldn’t save the state of a comment', error);
    for (const id of sent) {
      await this.shared.markSent(id).catch(onUnsaved);
    }
    for (const comment of discardedComments(job, marked)) {
      await this.shared.save({ ...comment, sent: undefined }).catch(onUnsaved);
    }
    return left;
  }

  /** A run has ended, maybe while older changes are open. */
  private async noteEnd(job: TrackedJob): Promise<void> {
    await this.inTurn(() => this.shared.read());
    const comments = [...this.shared.comments.values()];
    for (const { before, now } of await decideOutcomes(job, comments, this.options.localAvailable)) {
      await this.replace(before, now);
    }
  }

  private async rangesOf(document: vscode.TextDocument): Promise<vscode.CommentingRanges | undefined> {
    const place = await this.places.get(document.uri);
    return place && { enableFileComments: false, ranges: [new vscode.Range(0, 0, document.lineCount - 1, 0)] };
  }
}
