import * as vscode from 'vscode';
import { relocate } from '../../../prompt/relocate';
import type { KeptComment } from '../../../storage/reviewSchema';
import type { ReviewPlace, ReviewPlaces } from './places';

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
