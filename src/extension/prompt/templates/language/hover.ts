import * as vscode from 'vscode';
import { parseTemplate } from '../../../../prompt/template/parseTemplate';
import { variableForm, variableText } from '../templateWords';
import { rangeIn, spotsIn } from './spots';

/** What the variable at this place stands for. */
export function hover(document: vscode.TextDocument, at: vscode.Position): vscode.Hover | undefined {
  const offset = document.offsetAt(at);
  for (const spot of spotsIn(document)) {
    for (const piece of parseTemplate(spot.text).pieces) {
      const here = spot.offsetOf(piece.start) <= offset && offset <= spot.offsetOf(piece.end);
      if (piece.kind !== 'text' && here) {
        const range = rangeIn(document, spot, piece);
        const name = piece.kind === 'input' || piece.kind === 'pick' ? piece.kind : piece.name;
        const text = new vscode.MarkdownString().appendCodeblock(variableForm(name), 'plaintext');
        return new vscode.Hover(text.appendText(variableText(name)), range);
      }
    }
  }
  return undefined;
}
