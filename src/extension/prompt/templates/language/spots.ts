import * as vscode from 'vscode';
import { readFrontMatter } from '../../../../prompt/template/frontMatter';
import type { TemplateRange } from '../../../../prompt/template/parseTemplate';
import { type TemplateSpot, spotsInSettings } from '../../../../prompt/template/templateSpots';
import { TEMPLATES_SETTING, templateKind } from '../templateDocument';

/** Where templates stand in a document. */
export function spotsIn(document: vscode.TextDocument): TemplateSpot[] {
  const source = document.getText();
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
