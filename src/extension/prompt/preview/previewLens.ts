import * as vscode from 'vscode';
import { promptBodyBytes } from '../../../shared/protocol/promptBody';
import { countInvisible } from '../../../shared/util/invisible';
import { DisposableStore } from '../../../shared/util/disposable';
import { COMMANDS } from '../../ids';
import { serviceName } from '../../services/apiKeys';
import { invisibleWords } from '../../invisibleWords';
import { toLabel } from '../../text';
import { numberText } from '../../invisibleWords';
import type { TargetFacts } from '../composer/targetFacts';
import type { Drafts } from '../drafts';
import { promptOf } from './previewFiles';
import { PREVIEW_SCHEME, type PreviewOf, readPreview } from './previewUri';
import type { RequestAddress } from './requestAddress';

export interface PreviewLensOptions {
  facts: TargetFacts;
  addressOf: RequestAddress;
  drafts: Pick<Drafts, 'peek'>;
}

/** Above what is sent: by which request, how many bytes, and to whom. */
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
    const invisible = invisibleWords(countInvisible(prompt));
    const address = await addressOf(target);
    const other: PreviewOf = { form: form === 'prompt' ? 'body' : 'prompt', target };
    // What can be clicked comes first: beside a prompt there is little room, and the rest of a long line is out of sight.
    return [
      lens(
        form === 'prompt' ? vscode.l10n.t('Show request body') : vscode.l10n.t('Show as text'),
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
