import * as vscode from 'vscode';
import type { KeptComment } from '../../../storage/reviewSchema';
import { toLabel } from '../../text';

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
