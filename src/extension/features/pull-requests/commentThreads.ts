import * as vscode from 'vscode';
import { shortcutKey } from '../../../base/process';
import type { JobStore } from '../../../jobs/jobStore';
import type { SavedComment } from '../../../jobs/store/reviewSchema';
import { followLines } from '../../../prompt/followLines';
import { relocate } from '../../../prompt/reviewComments';
import { toLabel } from '../../platform/sanitize';
import { jobTitle } from '../../presentation/jobText';
import type { ReviewLocation, ReviewLocations } from './reviewLocations';

/** The id that the comment menus refer to. */
export const CONTROLLER_ID = 'docs-agent-review';

/** Over a remote connection, this is the key of the other machine: the window's system is unknown here. */
/** The texts of the box for a new comment. The key is the editor's own for the main button of a comment box. */
export function commentBoxTexts(): vscode.CommentOptions {
  return {
    prompt: vscode.l10n.t('Comment for the agent'),
    placeHolder: vscode.l10n.t('What should change here? {0} saves it.', `${shortcutKey()}+Enter`),
  };
}

/** Decides which actions the menus show. */
type CommentState = 'draft' | NonNullable<SavedComment['sent']>['state'];

function stateOf({ sent }: SavedComment): CommentState {
  return sent?.state ?? 'draft';
}

/** A comment as shown by the editor; the menus pass it to commands. */
export class DraftComment implements vscode.Comment {
  mode = vscode.CommentMode.Preview;
  readonly author = { name: vscode.l10n.t('You') };
  body: string;
  /** The text at the start of editing. */
  base: string;

  constructor(public saved: SavedComment) {
    this.body = this.base = saved.text;
  }

  get contextValue(): CommentState {
    return stateOf(this.saved);
  }

  /** The label of the thread says the rest. */
  get label(): string {
    return this.saved.outdated && this.contextValue === 'draft'
      ? vscode.l10n.t('On an older version of these lines')
      : '';
  }
}

/** Shows comments at their lines, one thread each. */
export class CommentThreads implements vscode.Disposable {
  private readonly threads = new Map<string, vscode.CommentThread>();

  constructor(
    private readonly controller: vscode.CommentController,
    /** The display name of a job. */
    private readonly store: Pick<JobStore, 'get'>,
  ) {}

  dispose(): void {
    this.threads.forEach((thread) => thread.dispose());
  }

  /**
   * Shows a comment in its current state, in `thread` if the editor has created one for it. Text being typed into it
   * exists only in the editor, and is kept.
   */
  show(saved: SavedComment, thread?: vscode.CommentThread): void {
    const uri = vscode.Uri.parse(saved.uri, true);
    const known = thread ?? this.threads.get(saved.id);
    const isThere = known?.uri.toString() === uri.toString();
    if (known !== undefined && !isThere) {
      if (this.isEdited(saved.id)) {
        return;
      }
      known.dispose();
    }
    const range = new vscode.Range(saved.from - 1, 0, saved.to - 1, 0);
    const shown = known !== undefined && isThere ? known : this.controller.createCommentThread(uri, range, []);
    shown.range = range;
    shown.comments = [this.commentOf(saved)];
    shown.canReply = false;
    const state = stateOf(saved);
    if (state !== 'draft' && shown.contextValue !== state && !this.isEdited(saved.id)) {
      shown.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
    }
    shown.contextValue = state;
    shown.state = vscode.CommentThreadState[state === 'addressed' ? 'Resolved' : 'Unresolved'];
    shown.label = saved.uri.startsWith('file:') ? this.labelInFile(saved, state) : labelInChanges(state);
    this.threads.set(saved.id, shown);
  }

  /** Switches a comment in or out of edit mode. */
  edit(comment: DraftComment, mode: vscode.CommentMode): void {
    const thread = this.threads.get(comment.saved.id);
    if (thread !== undefined) {
      comment.mode = mode;
      comment.base = comment.saved.text;
      thread.comments = [comment];
    }
  }

  /**
   * Reopens a comment with its typed text in a new thread, because the editor closes the old thread's box on save, even
   * if saving fails.
   */
  reopen(comment: DraftComment): void {
    this.remove(comment.saved.id);
    this.show(comment.saved);
    const shown = this.threads.get(comment.saved.id);
    if (shown !== undefined) {
      comment.mode = vscode.CommentMode.Editing;
      shown.comments = [comment];
      shown.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    }
  }

  /** True while the comment is being edited. */
  isEdited(id: string): boolean {
    return this.threads.get(id)?.comments[0]?.mode === vscode.CommentMode.Editing;
  }

  remove(id: string): void {
    this.threads.get(id)?.dispose();
    this.threads.delete(id);
  }

  /** Returns the id of a thread's comment. */
  idOf(thread: vscode.CommentThread): string | undefined {
    return [...this.threads].find(([, each]) => each === thread)?.[0];
  }

  private labelInFile({ jobKey }: SavedComment, state: CommentState): string {
    const job = this.store.get(jobKey);
    const title = toLabel(job === undefined ? jobKey : jobTitle(job), 40);
    return {
      draft: unsentLabel(),
      sent: vscode.l10n.t('Sent to “{0}”', title),
      open: vscode.l10n.t('Still open in “{0}”', title),
      addressed: vscode.l10n.t('Addressed in “{0}”', title),
    }[state];
  }

  private commentOf(saved: SavedComment): DraftComment {
    const [shown] = this.threads.get(saved.id)?.comments ?? [];
    if (!(shown instanceof DraftComment) || shown.mode !== vscode.CommentMode.Editing) {
      return new DraftComment(saved);
    }
    shown.saved = saved;
    return shown;
  }
}

function unsentLabel(): string {
  return vscode.l10n.t('Not sent. The paper plane sends all.');
}

/** The changes have the name of their job in the title. */
function labelInChanges(state: CommentState): string {
  return {
    draft: unsentLabel(),
    sent: vscode.l10n.t('Sent'),
    open: vscode.l10n.t('Still open: this text hasn’t changed'),
    addressed: vscode.l10n.t('Addressed: this text has changed'),
  }[state];
}

async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  return (await Promise.resolve(vscode.workspace.openTextDocument(uri)).catch(() => undefined))?.getText();
}

/**
 * Decides whether a sent comment was addressed, by comparing the version that it was written on with a later one, and
 * moves it there. A comment on a file of the working tree stays on that file.
 */
export async function followComment(comment: SavedComment, uri: vscode.Uri): Promise<SavedComment> {
  const written = comment.sent ?? comment;
  // A file of the working tree may have changed since.
  const before = written.uri.startsWith('file:') ? undefined : await textOf(vscode.Uri.parse(written.uri));
  const { from, isChanged } = followLines(comment.quoted, written.from, before, (await textOf(uri)) ?? '');
  const sent = {
    at: written.at,
    uri: written.uri,
    from: written.from,
    state: isChanged ? 'addressed' : 'open',
  } as const;
  const place = { uri: uri.toString(), from, to: from + (isChanged ? 0 : comment.to - comment.from) };
  return { ...comment, ...(comment.uri.startsWith('file:') ? {} : place), outdated: isChanged, sent };
}

/** Moves a comment to its lines in a later version. If they have changed, it stays nearby and keeps its quote. */
export async function moveComment(comment: SavedComment, uri: vscode.Uri): Promise<SavedComment> {
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

/**
 * In a working tree file, moves the comment to its current lines. In a version that the agent has changed since, the
 * comment stays and is marked as outdated, so that the agent looks for the lines itself.
 */
export async function relocateComment(
  comment: SavedComment,
  places: Pick<ReviewLocations, 'get'>,
): Promise<SavedComment> {
  const uri = vscode.Uri.parse(comment.uri);
  if (uri.scheme === 'file') {
    return moveComment(comment, uri);
  }
  const isOld = comment.side === 'new' && (await places.get(uri))?.isOld === true;
  return isOld ? { ...comment, outdated: true } : comment;
}

/** Creates a comment from the text typed in a new thread, with the lines it is attached to. */
export async function commentAt(
  { uri, range }: vscode.CommentThread,
  { isOld, ...place }: ReviewLocation,
  typed: Pick<SavedComment, 'id' | 'text'>,
): Promise<SavedComment> {
  const document = await vscode.workspace.openTextDocument(uri);
  const { start, end } = range ?? new vscode.Range(0, 0, 0, 0);
  const lines = new vscode.Range(start.line, 0, end.line, document.lineAt(end.line).text.length);
  return {
    ...place,
    ...typed,
    uri: uri.toString(),
    from: start.line + 1,
    to: end.line + 1,
    quoted: document.getText(lines).replaceAll('\r\n', '\n'),
    languageId: document.languageId,
    outdated: isOld,
    at: Date.now(),
  };
}
