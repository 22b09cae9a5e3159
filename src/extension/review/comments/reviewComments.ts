import * as vscode from 'vscode';
import type { JobStore } from '../../../jobs/jobStore';
import type { Send, TrackedJob } from '../../../jobs/trackedJob';
import { relocate } from '../../../prompt/relocate';
import { quotedText } from '../../../prompt/reviewComments';
import { DisposableStore } from '../../../shared/util/disposable';
import type { Logger } from '../../../shared/util/logger';
import { ReviewFiles } from '../../../storage/reviewFiles';
import type { KeptComment } from '../../../storage/reviewSchema';
import type { CommentCounts } from '../../views/commentCounts';
import { jobTitle } from '../../views/jobWords';
import { CONTROLLER_ID, CommentThreads, type DraftComment } from './commentThreads';
import { ReviewPlaces, type ShownChange } from './places';

const { t } = vscode.l10n;

export interface ReviewCommentsOptions {
  files: ReviewFiles;
  store: JobStore;
  counts: CommentCounts;
  newId: () => string;
  log: Logger;
}

export function startReview(shared: Omit<ReviewCommentsOptions, 'files'> & { reviewFolder: string }): ReviewComments {
  const { reviewFolder: root, newId, log } = shared;
  const review = new ReviewComments({ ...shared, files: new ReviewFiles({ root, newId, log }) });
  review.load().catch((error: unknown) => log.error('comments on changes could not be read', error));
  return review;
}

/**
 * Comments on lines of what jobs have changed, in the editor's own way. Each is on disk before it counts as made, and goes
 * only when a prompt that holds its text is kept.
 */
export class ReviewComments implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly kept = new Map<string, KeptComment>();
  private readonly places: ReviewPlaces;
  private readonly threads: CommentThreads;
  private loaded: Promise<void> | undefined;

  constructor(private readonly options: ReviewCommentsOptions) {
    const { store } = options;
    this.places = new ReviewPlaces(store);
    const controller = this.owned.add(vscode.comments.createCommentController(CONTROLLER_ID, t('Docs Agent')));
    controller.options = { prompt: t('Comment for the agent'), placeHolder: t('What should the agent change here?') };
    controller.commentingRangeProvider = { provideCommentingRanges: (document) => this.rangesOf(document) };
    const titleOf = (key: string): string => titleIn(store, key);
    this.threads = this.owned.add(new CommentThreads(controller, titleOf));
    this.owned.add(store.onDidChange(({ job, before }) => void this.forgetSent(job, before)));
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Reads what was written before, in whatever window. */
  load(): Promise<void> {
    return (this.loaded ??= this.read());
  }

  /** The comments of a job that were not sent, in the order in which they were made. */
  async of(jobKey: string): Promise<KeptComment[]> {
    await this.load();
    return [...this.kept.values()].filter((each) => each.jobKey === jobKey).toSorted((a, b) => a.at - b.at);
  }

  /** The change is open in the editor: comments on an older one move to it, with the lines that they quote. */
  async show(change: ShownChange, uriOf: (path: string) => vscode.Uri): Promise<void> {
    this.places.show(change);
    for (const comment of await this.of(change.jobKey)) {
      const uri = uriOf(comment.path);
      if (comment.side === 'new' && !comment.uri.startsWith('file:') && comment.uri !== uri.toString()) {
        await this.keep(await moved(comment, uri));
      }
    }
  }

  /** Makes a comment of what was typed in a thread that the editor has opened. */
  async add(thread: vscode.CommentThread, text: string): Promise<void> {
    const place = await this.places.of(thread.uri);
    if (place === undefined) {
      throw new Error(t('these lines are of no job’s changes any more; copy your comment before you close it'));
    }
    const document = await vscode.workspace.openTextDocument(thread.uri);
    const { start, end } = thread.range ?? new vscode.Range(0, 0, 0, 0);
    const lines = new vscode.Range(start.line, 0, end.line, document.lineAt(end.line).text.length);
    const comment: KeptComment = {
      ...place,
      id: this.options.newId(),
      uri: thread.uri.toString(),
      from: start.line + 1,
      to: end.line + 1,
      quoted: document.getText(lines).replaceAll('\r\n', '\n'),
      languageId: document.languageId,
      outdated: false,
      text,
      composed: false,
      at: Date.now(),
    };
    await this.keep(comment, thread);
  }

  edit(comment: DraftComment, mode: vscode.CommentMode): void {
    if (mode === vscode.CommentMode.Preview) {
      comment.body = comment.kept.text;
    }
    this.threads.edit(comment, mode);
  }

  /** Keeps a text in the place of the one before; an empty one changes nothing. */
  async change(id: string, text: string): Promise<void> {
    const comment = this.kept.get(id);
    if (comment !== undefined) {
      await this.keep({ ...comment, text: text.trim() === '' ? comment.text : text });
    }
  }

  async remove(id: string): Promise<void> {
    const comment = this.kept.get(id);
    await this.options.files.remove(id);
    this.kept.delete(id);
    this.threads.remove(id);
    this.count(comment?.jobKey);
  }

  /** Brings back a comment that was removed. */
  restore(comment: KeptComment): Promise<void> {
    return this.keep(comment);
  }

  /** True when comments on the job's changes are waiting. */
  has(jobKey: string): boolean {
    return this.options.counts.get(jobKey) > 0;
  }

  /** They stand in a prompt now, and go when it is kept. */
  async compose(comments: readonly KeptComment[]): Promise<void> {
    for (const comment of comments) {
      await this.keep({ ...comment, composed: true });
    }
  }

  /** The job that a thread is for. */
  async jobOf(thread: vscode.CommentThread): Promise<string | undefined> {
    const id = this.threads.idOf(thread);
    return id === undefined ? (await this.places.of(thread.uri))?.jobKey : this.kept.get(id)?.jobKey;
  }

  private async read(): Promise<void> {
    for (const comment of await this.options.files.all()) {
      this.kept.set(comment.id, comment);
      this.threads.show(comment);
      this.count(comment.jobKey);
    }
    // Another window may have sent them, or this one shortly before it ended.
    for (const job of this.options.store.jobs) {
      await this.forgetSent(job, undefined);
    }
  }

  private async keep(comment: KeptComment, thread?: vscode.CommentThread): Promise<void> {
    await this.options.files.write(comment);
    this.kept.set(comment.id, comment);
    this.threads.show(comment, thread);
    this.count(comment.jobKey);
  }

  private count(jobKey: string | undefined): void {
    if (jobKey !== undefined) {
      this.options.counts.set(jobKey, [...this.kept.values()].filter((each) => each.jobKey === jobKey).length);
    }
  }

  /** A follow-up that holds what was composed is kept by the outbox: only now the comments may go. */
  private async forgetSent(job: TrackedJob, before: TrackedJob | undefined): Promise<void> {
    const known = new Set(before?.sends.map(({ id }) => id));
    for (const send of job.sends) {
      const sent = known.has(send.id) ? [] : [...this.kept.values()].filter((each) => isIn(each, job.key, send));
      for (const comment of sent) {
        await this.remove(comment.id).catch((error: unknown) =>
          this.options.log.warn('a comment that was sent is still there', error),
        );
      }
    }
  }

  private async rangesOf(document: vscode.TextDocument): Promise<vscode.CommentingRanges | undefined> {
    const place = await this.places.of(document.uri);
    const whole = new vscode.Range(0, 0, Math.max(0, document.lineCount - 1), 0);
    return place && { enableFileComments: false, ranges: [whole] };
  }
}

function isIn({ composed, jobKey, text, at }: KeptComment, key: string, send: Send): boolean {
  const holds = composed && jobKey === key && send.at >= at && send.state !== 'discarded';
  return holds && send.prompt.replaceAll('\r\n', '\n').includes(quotedText(text));
}

function titleIn(store: JobStore, key: string): string {
  const job = store.get(key);
  return job === undefined ? key : jobTitle(job);
}

/** At its lines in a later version; where they have changed it stays near them and keeps what it quotes. */
async function moved(comment: KeptComment, uri: vscode.Uri): Promise<KeptComment> {
  const document = await Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(() => undefined);
  if (document === undefined) {
    return { ...comment, outdated: true };
  }
  const from = relocate(comment.quoted, comment.from, document.getText());
  const length = comment.to - comment.from;
  const start = from ?? Math.max(1, Math.min(comment.from, document.lineCount));
  const end = from === undefined ? Math.min(start + length, document.lineCount) : start + length;
  return { ...comment, uri: uri.toString(), from: start, to: end, outdated: from === undefined };
}
