import * as vscode from 'vscode';
import { toLabel } from '../../text';
import { readPreviewRequest } from '../../commands/arguments';
import type { Composer } from '../composer/composer';
import { parseTarget, readTarget } from '../composer/composerTarget';
import type { TargetFacts } from '../composer/targetFacts';
import { type PreviewOf, previewUri, readPreview } from './previewUri';

export interface PreviewPromptOptions {
  composer: Composer;
  facts: TargetFacts;
}

/** Shows beside the prompt exactly what is sent of it: as text, or the body of the request byte for byte. */
export async function previewPrompt({ composer, facts }: PreviewPromptOptions, argument: unknown): Promise<void> {
  const wanted = named(argument) ?? atHand(composer);
  if (wanted === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a prompt first, with “Compose Prompt”.'));
    return;
  }
  const name = toLabel(facts.nameOf(wanted.target), 40).replace(/[/\\?#%*:|"<>]/g, ' ');
  const title =
    wanted.form === 'prompt'
      ? vscode.l10n.t('What is sent to {0}', name)
      : vscode.l10n.t('Body of the request to {0}', name);
  const document = await vscode.workspace.openTextDocument(previewUri(wanted, title), { encoding: 'utf8' });
  const active = vscode.window.activeTextEditor?.document.uri;
  const beside = active !== undefined && readTarget(active) !== undefined;
  const viewColumn = beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  await vscode.window.showTextDocument(document, { preview: true, viewColumn });
}

function atHand(composer: Composer): PreviewOf | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const shown = active && readPreview(active);
  if (shown !== undefined) {
    return { form: shown.form === 'prompt' ? 'body' : 'prompt', target: shown.target };
  }
  const uri = composer.active?.uri;
  const target = uri && readTarget(uri);
  return target && { form: 'prompt', target };
}

function named(argument: unknown): PreviewOf | undefined {
  const given = readPreviewRequest(argument);
  const target = parseTarget(given?.target);
  return given && target && { form: given.form, target };
}
