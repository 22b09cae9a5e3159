import * as vscode from 'vscode';
import { countInvisible, showInvisible } from '../../../../base/text';
import { LOCAL_SERVICE } from '../../../../jobs/events';
import { promptText } from '../../../../prompt/promptText';
import { pathOf } from '../../../../protocol/routes';
import { promptBodyBytes } from '../../../../protocol/status';
import type { LocalService } from '../../../platform/localService';
import { invisibleText, numberText } from '../../../platform/numberText';
import { toLabel } from '../../../platform/sanitize';
import { withStandingInstructions } from '../../../sending/sender';
import type { PromptApp } from '../register';
import { previewOf } from './promptFiles';
import type { DraftTarget } from './promptTargets';

/** Shows beside a prompt what will be sent, and where to. */
export async function previewPrompt({ composer, targets }: PromptApp, argument: unknown): Promise<void> {
  const uri = argument instanceof vscode.Uri ? argument : composer.active?.uri;
  const target = uri && targets.get(uri);
  if (uri === undefined || target === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a prompt first with “Compose Prompt”.'));
    return;
  }
  const document = await vscode.workspace.openTextDocument(
    previewOf(uri, vscode.l10n.t('Request to {0}', toLabel(target.name, 40))),
    { encoding: 'utf8' },
  );
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

/**
 * Returns the address, the size, and the text of a prompt as it would be sent now. Invisible characters are replaced by
 * their code points.
 */
export async function renderPreview({ targets, local }: PromptApp, uri: vscode.Uri): Promise<string> {
  const target = targets.get(uri);
  if (target === undefined) {
    throw vscode.FileSystemError.FileNotFound(uri);
  }
  const text = promptText((await vscode.workspace.openTextDocument(uri)).getText());
  const prompt = target.isFollowUp ? text : withStandingInstructions(text);
  const bytes = numberText(promptBodyBytes(prompt));
  const lines = [
    vscode.l10n.t('POST {0}', await addressOf(target, local)),
    vscode.l10n.t('{0} bytes to {1}, with your API key in a header', bytes, target.name),
    invisibleText(countInvisible(prompt)),
  ];
  return `${lines.filter((line) => line !== undefined).join('\n')}\n\n${showInvisible(prompt)}\n`;
}

/** The local service has a port only while it runs; otherwise returns a description instead of an address. */
async function addressOf(
  { location, job, isFollowUp }: DraftTarget,
  local: Pick<LocalService, 'findRunning'>,
): Promise<string> {
  const jobId = job?.snapshot?.id;
  if (location === undefined || (isFollowUp && jobId === undefined)) {
    return vscode.l10n.t('(unknown: the job or its service can’t be determined)');
  }
  const base = location.service === LOCAL_SERVICE ? (await local.findRunning())?.baseUrl : location.baseUrl;
  const route = jobId === undefined ? pathOf('createJob', location) : pathOf('sendMessage', { ...location, jobId });
  return (base ?? vscode.l10n.t('(local service, starts when needed) ')) + route;
}
