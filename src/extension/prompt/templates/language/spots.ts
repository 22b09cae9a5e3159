import * as vscode from 'vscode';
import { readFrontMatter } from '../../../../prompt/template/frontMatter';
import type { TemplateRange } from '../../../../prompt/template/parseTemplate';
import { type TemplateSpot, spotsInSettings } from '../../../../prompt/template/templateSpots';
import { TEMPLATES_SETTING, templateKind } from '../templateDocument';

/** A longer text is not looked through while it is typed; no template is read from a file of this size. */
const MOST_LENGTH = 1024 * 1024;

/** Where templates stand in a document. */
export function spotsIn(document: vscode.TextDocument): TemplateSpot[] {
  const source = document.getText();
  if (source.length > MOST_LENGTH) {
    return [];
  }
  if (templateKind(document) === 'settings') {
    return spotsInSettings(source, TEMPLATES_SETTING);
  }
  const { bodyStart } = readFrontMatter(source);
  return [{ text: source.slice(bodyStart), offsetOf: (at) => bodyStart + at }];
}

/** A stretch of a spot in its document. */
export function rangeIn(
  document: vscode.TextDocument,
  spot: TemplateSpot,
  { start, end }: TemplateRange,
): vscode.Range {
  return new vscode.Range(document.positionAt(spot.offsetOf(start)), document.positionAt(spot.offsetOf(end)));
}
