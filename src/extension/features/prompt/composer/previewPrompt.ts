import * as vscode from 'vscode';
import { DisposableStore } from '../../../../base/disposable';
import { countInvisible } from '../../../../base/text';
import { LOCAL_SERVICE } from '../../../../jobs/events';
import { pathOf } from '../../../../protocol/routes';
import { promptBodyBytes } from '../../../../protocol/status';
import { COMMANDS } from '../../../ids';
import { serviceName } from '../../../platform/apiKeys';
import { readPreviewRequest } from '../../../platform/commandArguments';
import type { LocalService } from '../../../platform/localService';
import { invisibleText, numberText } from '../../../platform/numberText';
import { toLabel } from '../../../platform/sanitize';
import type { Drafts } from '../../../sending/drafts';
import { FILE_ENCODING } from './composerFiles';
import type { Composer } from './composer';
import { type ComposerTarget, parseTarget, readTarget, type TargetFacts } from './composerTarget';
import { PREVIEW_SCHEME, type PreviewOf, previewUri, promptOf, readPreview } from './previewFiles';

export interface PreviewPromptOptions {
  composer: Composer;
  facts: TargetFacts;
}

/** Shows exactly what will be sent beside the prompt: as text, or as the request body, byte for byte. */
export async function previewPrompt({ composer, facts }: PreviewPromptOptions, argument: unknown): Promise<void> {
  const wanted = named(argument) ?? getActivePreview(composer);
  if (wanted === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open a prompt first with “Compose Prompt”.'));
    return;
  }
  const name = toLabel(facts.nameOf(wanted.target), 40).replace(/[/\\?#%*:|"<>]/g, ' ');
  const title =
    wanted.form === 'prompt' ? vscode.l10n.t('Request to {0}', name) : vscode.l10n.t('Request body for {0}', name);
  const document = await vscode.workspace.openTextDocument(previewUri(wanted, title), FILE_ENCODING);
  const active = vscode.window.activeTextEditor?.document.uri;
  const beside = active !== undefined && readTarget(active) !== undefined;
  const viewColumn = beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  await vscode.window.showTextDocument(document, { preview: true, viewColumn });
}

function getActivePreview(composer: Composer): PreviewOf | undefined {
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

export interface PreviewLensOptions {
  facts: TargetFacts;
  addressOf: RequestAddress;
  drafts: Pick<Drafts, 'peek'>;
}

/** Shows the request, its size in bytes and its recipient above the preview. */
export class PreviewLens implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly owned = new DisposableStore();

  constructor(private readonly options: PreviewLensOptions) {
    this.owned.add(vscode.languages.registerCodeLensProvider({ scheme: PREVIEW_SCHEME }, this));
  }

  dispose(): void {
    this.owned.dispose();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const preview = readPreview(document.uri);
    if (preview === undefined) {
      return [];
    }
    const { facts, addressOf, drafts } = this.options;
    const { form, target } = preview;
    const home = facts.homeOf(target, true);
    const name = toLabel(facts.nameOf(target), 60);
    const whom = home === undefined ? name : vscode.l10n.t('{0} at {1}', name, serviceName(home.service));
    const prompt = await promptOf(target, drafts);
    const invisible = invisibleText(countInvisible(prompt));
    const address = await addressOf(target);
    const other: PreviewOf = { form: form === 'prompt' ? 'body' : 'prompt', target };
    // Clickable items come first, because a narrow preview cuts off the rest of a long line.
    return [
      lens(
        form === 'prompt' ? vscode.l10n.t('Show Request Body') : vscode.l10n.t('Show as text'),
        COMMANDS.previewPrompt,
        other,
      ),
      ...(invisible !== undefined && form === 'prompt' ? [lens(invisible, '')] : []),
      lens(
        vscode.l10n.t('{0} bytes to {1}, with your API key in a header', numberText(promptBodyBytes(prompt)), whom),
        '',
      ),
      lens(vscode.l10n.t('POST {0}', address), ''),
    ];
  }
}

function lens(title: string, command: string, ...args: PreviewOf[]): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command, arguments: args });
}

/** Returns the address that a prompt will be posted to, or what is known about it in advance. */
export type RequestAddress = (target: ComposerTarget) => Promise<string>;

/** The local service has a port only while it runs; otherwise returns a description instead of an address. */
export function requestAddress(facts: TargetFacts, local: Pick<LocalService, 'find'>): RequestAddress {
  return async (target) => {
    const home = facts.homeOf(target, true);
    const jobId = facts.jobOf(target)?.snapshot?.id;
    if (home === undefined || (target.kind === 'followUp' && jobId === undefined)) {
      return vscode.l10n.t('(unknown: the job or its service can’t be determined)');
    }
    const base = home.service === LOCAL_SERVICE ? (await local.find())?.baseUrl : home.baseUrl;
    const route = jobId === undefined ? pathOf('createJob', home) : pathOf('sendMessage', { ...home, jobId });
    return (base ?? vscode.l10n.t('(local service, starts when needed) ')) + route;
  };
}
