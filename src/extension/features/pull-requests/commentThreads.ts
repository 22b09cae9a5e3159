import * as vscode from 'vscode';
import type { KeptComment } from '../../../jobs/store/reviewSchema';
import { relocate } from '../../../prompt/reviewComments';
import { toLabel } from '../../platform/sanitize';
import type { ReviewPlace, ReviewPlaces } from './commentPlaces';

/** What the menus of comments ask for. */
export const CONTROLLER_ID = 'docs-agent-review';

/** A comment as the editor shows it; the menus pass it. */
export class DraftComment implements vscode.Comment {
  mode = vscode.CommentMode.Preview;
  readonly author = { name: vscode.l10n.t('You') };
  readonly contextValue = 'draft';
  body: string;
  /** The text that a change of it began with. */
  base: string;

  constructor(public kept: KeptComment) {
    this.body = this.base = kept.text;
  }

  get label(): string {
    return this.kept.outdated
      ? vscode.l10n.t('Not sent, on an older version of these lines')
      : vscode.l10n.t('Not sent');
  }
}

/** Comments at their lines, one thread each. */
export class CommentThreads implements vscode.Disposable {
  private readonly threads = new Map<string, vscode.CommentThread>();

  constructor(
    private readonly controller: vscode.CommentController,
    /** What a job is called. */
    private readonly titleOf: (jobKey: string) => string,
  ) {}

  dispose(): void {
    this.threads.forEach((thread) => thread.dispose());
  }

  /**
   * Shows a comment as it is now; in `thread` where the editor has made one for it. What is being typed into it is in the
   * editor only, and stays.
   */
  show(kept: KeptComment, thread?: vscode.CommentThread): void {
    const uri = vscode.Uri.parse(kept.uri, true);
    const known = thread ?? this.threads.get(kept.id);
    const isThere = known?.uri.toString() === uri.toString();
    if (known !== undefined && !isThere) {
      if (this.isEdited(kept.id)) {
        return;
      }
      known.dispose();
    }
    const range = new vscode.Range(kept.from - 1, 0, kept.to - 1, 0);
    const shown = known !== undefined && isThere ? known : this.controller.createCommentThread(uri, range, []);
    shown.range = range;
    shown.comments = [this.commentOf(kept)];
    shown.canReply = false;
    shown.contextValue = 'draft';
    shown.label = vscode.l10n.t('For the next follow-up to “{0}”', toLabel(this.titleOf(kept.jobKey), 40));
    this.threads.set(kept.id, shown);
  }

  /** Shows the comment as one whose text is being changed, or not any more. */
  edit(comment: DraftComment, mode: vscode.CommentMode): void {
    const thread = this.threads.get(comment.kept.id);
    if (thread !== undefined) {
      comment.mode = mode;
      comment.base = comment.kept.text;
      thread.comments = [comment];
    }
  }

  /**
   * Opens the box of a comment again with what was typed into it, in a new thread: the editor closes the box of the old
   * one when it is saved, whatever comes of that.
   */
  reopen(comment: DraftComment): void {
    this.remove(comment.kept.id);
    this.show(comment.kept);
    const shown = this.threads.get(comment.kept.id);
    if (shown !== undefined) {
      comment.mode = vscode.CommentMode.Editing;
      shown.comments = [comment];
      shown.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    }
  }

  /** True while the text of a comment is being changed. */
  isEdited(id: string): boolean {
    return this.threads.get(id)?.comments[0]?.mode === vscode.CommentMode.Editing;
  }

  remove(id: string): void {
    this.threads.get(id)?.dispose();
    this.threads.delete(id);
  }

  /** The comment of a thread. */
  idOf(thread: vscode.CommentThread): string | undefined {
    return [...this.threads].find(([, each]) => each === thread)?.[0];
  }

  private commentOf(kept: KeptComment): DraftComment {
    const [shown] = this.threads.get(kept.id)?.comments ?? [];
    if (!(shown instanceof DraftComment) || shown.mode !== vscode.CommentMode.Editing) {
      return new DraftComment(kept);
    }
    shown.kept = kept;
    return shown;
  }
}

/** At its lines in a later version; where they have changed it stays near them and keeps what it quotes. */
export async function moved(comment: KeptComment, uri: vscode.Uri): Promise<KeptComment> {
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
 * In a file of the working tree, at its lines as they are now. In a version that the agent has worked on since, it stays
 * where it is and is marked, so that the agent looks for the lines itself.
 */
export async function relocated(comment: KeptComment, places: Pick<ReviewPlaces, 'of'>): Promise<KeptComment> {
  const uri = vscode.Uri.parse(comment.uri);
  if (uri.scheme === 'file') {
    return moved(comment, uri);
  }
  const isOld = comment.side === 'new' && (await places.of(uri))?.isOld === true;
  return isOld ? { ...comment, outdated: true } : comment;
}

/** What is typed in a thread that the editor has opened, with the lines that it stands at. */
export async function commentAt(
  { uri, range }: vscode.CommentThread,
  { isOld, ...place }: ReviewPlace,
  typed: Pick<KeptComment, 'id' | 'text'>,
): Promise<KeptComment> {
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
