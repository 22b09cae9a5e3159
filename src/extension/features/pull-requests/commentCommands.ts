import * as vscode from 'vscode';
import { isBlank } from '../../../base/text';
import type { SavedComment } from '../../../jobs/store/reviewSchema';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { renderReviewComments } from '../../../prompt/reviewComments';
import { readJobName } from '../../platform/commandArguments';
import { DraftComment } from './commentThreads';
import type { ReviewApp } from './register';
import type { ReviewComments } from './reviewComments';

/**
 * Opens the comment box for the selected lines of the changes in front. In a multi-file diff the editor's own command
 * works but isn't in the Command Palette, and its default key copies a path on Linux.
 */
export async function addReviewComment(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.addComment');
}

/**
 * Saves the text typed in the comment box below a line, or an edited comment, whose body the editor has already updated.
 */
export async function saveReviewComment(review: ReviewComments, argument: unknown): Promise<void> {
  const { thread, text } = (argument ?? {}) as { thread?: unknown; text?: unknown };
  if (argument instanceof DraftComment) {
    await review.change(argument, argument.body);
  } else if (isThread(thread) && typeof text === 'string' && !isBlank(text)) {
    await review.add(thread, text);
  } else {
    return;
  }
  // The box that had the focus is closed.
  await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
}

export function editReviewComment(review: ReviewComments, argument: unknown, isEdited: boolean): void {
  if (argument instanceof DraftComment) {
    review.edit(argument, isEdited ? vscode.CommentMode.Editing : vscode.CommentMode.Preview);
  }
}

/** Deletes a comment; a notice offers to restore it. */
export async function deleteReviewComment(review: ReviewComments, argument: unknown): Promise<void> {
  if (!(argument instanceof DraftComment)) {
    return;
  }
  const { saved } = argument;
  await review.remove(saved.id);
  const undo = vscode.l10n.t('Undo');
  if ((await vscode.window.showInformationMessage(vscode.l10n.t('Comment deleted.'), undo)) === undo) {
    await review.restore(saved);
  }
}

/**
 * Sends all comments on a job's changes as one follow-up, at once or after they were edited as a draft. The comments are
 * kept until that prompt is saved. With a draft for the job, they are added to it unless they are already there.
 */
export async function sendReviewComments(options: ReviewApp, argument: unknown): Promise<void> {
  const { composer } = options;
  const review = await options.review();
  const job = await chooseJob(options, review, argument);
  const edited = job && review.edited(job.key)[0];
  if (edited !== undefined) {
    await showUnsavedComment(edited);
    return;
  }
  await (job && isThread(argument) && review.resend(argument));
  await (job && review.relocate(job.key));
  const chosen = job && (await chooseComments(composer, review, job));
  if (job === undefined || chosen === undefined) {
    return;
  }
  const { when, fresh } = chosen;
  await review.compose(fresh);
  const text = fresh.length === 0 ? undefined : renderReviewComments(fresh);
  await (when === 'now' && text !== undefined ? options.sendFollowUpText(job, text) : composer.appendForJob(job, text));
}

/**
 * Asks when to send the comments of a job, and returns those that its draft doesn't have. Undefined if the user doesn't
 * want to send them, or if there are none (the user is notified).
 */
async function chooseComments(
  composer: ReviewApp['composer'],
  review: ReviewComments,
  job: TrackedJob,
): Promise<{ when: 'now' | 'edited'; fresh: SavedComment[] } | undefined> {
  for (;;) {
    const all = await review.get(job.key);
    if (all.length === 0) {
      const text = vscode.l10n.t(
        'There are no unsent comments on these changes. Select + next to a line, or run “Add Comment”.',
      );
      void vscode.window.showInformationMessage(text);
      return undefined;
    }
    const draft = await composer.textForJob(job);
    const when = isBlank(draft) ? await askWhen(all.length) : 'edited';
    if (when === undefined) {
      return undefined;
    }
    // Another window may have sent or changed them while the question was open. If so, ask again.
    const isSame = JSON.stringify(await review.get(job.key)) === JSON.stringify(all);
    if (isSame && (await composer.textForJob(job)) === draft) {
      return { when, fresh: review.notIn(draft, all) };
    }
  }
}

async function askWhen(count: number): Promise<'now' | 'edited' | undefined> {
  const title =
    count === 1
      ? vscode.l10n.t('Send 1 review comment to the agent?')
      : vscode.l10n.t('Send {0} review comments to the agent?', count);
  const now = { label: `$(send) ${vscode.l10n.t('Send Now')}`, when: 'now' as const };
  const edit = {
    label: `$(edit) ${vscode.l10n.t('Edit First')}`,
    description: vscode.l10n.t('opens a draft that you send yourself'),
    when: 'edited' as const,
  };
  const placeHolder = vscode.l10n.t('Select an action');
  return (await vscode.window.showQuickPick([now, edit], { title, placeHolder }))?.when;
}

/**
 * Returns the unsent comments of a job as a prompt, and records that they are put into one; empty if there are none.
 * One that is being edited is left out: its new text exists only in the editor, and the old one is outdated.
 */
export async function takeReviewComments(review: ReviewComments, { key }: TrackedJob): Promise<string> {
  await review.relocate(key);
  const all = await review.get(key);
  const edited = new Set(review.edited(key).map(({ id }) => id));
  const comments = all.filter(({ id }) => !edited.has(id));
  if (comments.length < all.length) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('The comment you’re editing wasn’t included. Save it to include it in the next follow-up.'),
    );
  }
  await review.compose(comments);
  return comments.length === 0 ? '' : renderReviewComments(comments);
}

/** Unsaved text of a comment exists only in the editor. */
async function showUnsavedComment({ uri, from, to }: SavedComment): Promise<void> {
  const show = vscode.l10n.t('Show Comment');
  const text = vscode.l10n.t('Save or cancel the comment you’re editing, then send again.');
  if ((await vscode.window.showWarningMessage(text, show)) === show) {
    const selection = new vscode.Range(from - 1, 0, to - 1, 0);
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection });
  }
}

async function chooseJob(
  { picker, opened }: ReviewApp,
  review: ReviewComments,
  argument: unknown,
): Promise<TrackedJob | undefined> {
  await review.load();
  const ofThread = isThread(argument) ? await review.jobOf(argument) : undefined;
  const name = ofThread ?? readJobName(argument) ?? opened.activeJob;
  return picker.choose(name, 'sendReviewComments', {
    fits: ({ key, snapshot }) => snapshot !== undefined && (name !== undefined || review.has(key)),
  });
}

/** The editor passes the thread objects. */
function isThread(value: unknown): value is vscode.CommentThread {
  return typeof value === 'object' && value !== null && 'uri' in value && 'range' in value && 'comments' in value;
}
