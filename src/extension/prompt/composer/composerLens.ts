import * as vscode from 'vscode';
import { COMMANDS } from '../../ids';
import { toLabel } from '../../text';
import { COMPOSER_SCHEME, type ComposerTarget, readTarget } from './composerTarget';

const { t } = vscode.l10n;

export interface ComposerLensOptions {
  /** The target in words: project and service. */
  nameOf: (target: ComposerTarget) => string;
  /** What is left of the hour's limit for the target, in words. */
  meterOf: (target: ComposerTarget) => Promise<string>;
}

/** Above a prompt: where it goes, how long it is, what the hour still allows, and what can be done with it. */
export class ComposerLens implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;

  constructor(private readonly options: ComposerLensOptions) {
    this.registration = vscode.languages.registerCodeLensProvider({ scheme: COMPOSER_SCHEME }, this);
  }

  dispose(): void {
    this.registration.dispose();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const target = readTarget(document.uri);
    if (target === undefined) {
      return [];
    }
    const { length } = document.getText().trim();
    const count = length.toLocaleString(vscode.env.language);
    const size = length === 1 ? t('1 character') : t('{0} characters', count);
    const meter = await this.options.meterOf(target);
    return [
      lens(`$(send) ${t('Send to {0}', toLabel(this.options.nameOf(target), 60))}`, COMMANDS.sendComposed),
      lens([size, meter].filter((part) => part !== '').join(' · '), ''),
    ];
  }
}

function lens(title: string, command: string): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command });
}
