import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable';
import { type CommandId } from '../../ids';
import { numberText } from '../../platform/numberText';
import { toLabel } from '../../platform/sanitize';
import type { Findings, ShownFinding } from './findings';

const MAX_NAME = 40;

/** The quick fixes of a finding. They edit no page themselves: a job does, or the finding is ignored. */
export class FindingActions implements vscode.CodeActionProvider, vscode.Disposable {
  private readonly owned = new DisposableStore();

  constructor(private readonly findings: Pick<Findings, 'at' | 'onPage'>) {
    const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
    this.owned.add(vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, this, kinds));
  }

  dispose(): void {
    this.owned.dispose();
  }

  provideCodeActions({ uri }: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    const here = this.findings.at(uri, range);
    const onPage = this.findings.onPage(uri);
    if (here.length === 0) {
      return [];
    }
    const fix = action(vscode.l10n.t('Fix with a Docs Job…'), 'docsAgent.fixFindings', here);
    const fixAll =
      onPage.length > here.length
        ? [
            action(
              vscode.l10n.t('Fix All {0} Names on This Page with a Docs Job…', numberText(onPage.length)),
              'docsAgent.fixFindings',
              onPage,
            ),
          ]
        : [];
    const ignore = here.map((shown) =>
      action(vscode.l10n.t('Ignore “{0}”…', toLabel(shown.finding.name, MAX_NAME)), 'docsAgent.ignoreFinding', [shown]),
    );
    return [fix, ...fixAll, ...ignore];
  }
}

function action(title: string, command: CommandId, meant: readonly ShownFinding[]): vscode.CodeAction {
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.command = { command, title, arguments: [{ findings: meant.map(({ id }) => id) }] };
  return made;
}
