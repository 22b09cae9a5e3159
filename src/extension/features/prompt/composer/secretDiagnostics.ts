import * as vscode from 'vscode';
import { DisposableStore } from '../../../../base/disposable';
import type { Logger } from '../../../../base/logger';
import { isLikelyOnly, kindName } from '../../../../prompt/secrets/secret';
import type { SecretFinder } from '../../../sending/sendPrompt';
import { PROMPT_LANGUAGE } from './promptFiles';

const SOURCE = 'Docs Agent Jobs';

/** Idle time before a prompt is scanned, in milliseconds. */
const SCAN_AFTER_MS = 400;

/** Marks likely secrets in open prompts, with a quick fix to redact them. */
export class SecretDiagnostics implements vscode.CodeActionProvider, vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly collection = this.owned.add(vscode.languages.createDiagnosticCollection(SOURCE));
  /** Cancels the scan of a document, whether it is pending or running. */
  private readonly scans = new Map<string, AbortController>();

  constructor(
    private readonly finder: Pick<SecretFinder, 'find'>,
    private readonly log: Logger,
  ) {
    const kinds = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
    this.owned.add(vscode.languages.registerCodeActionsProvider({ language: PROMPT_LANGUAGE }, this, kinds));
    this.owned.add(vscode.workspace.onDidOpenTextDocument((document) => this.scanSoon(document, 0)));
    this.owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => this.scanSoon(document, SCAN_AFTER_MS)));
    this.owned.add(vscode.workspace.onDidCloseTextDocument((document) => this.clear(document)));
    this.owned.add({ dispose: () => this.scans.forEach((scan) => scan.abort()) });
    vscode.workspace.textDocuments.forEach((document) => this.scanSoon(document, 0));
  }

  dispose(): void {
    this.owned.dispose();
  }

  provideCodeActions(
    document: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const ours = diagnostics.filter(({ source }) => source === SOURCE);
    const all = this.collection.get(document.uri) ?? [];
    const one = ours.map((diagnostic) =>
      redactAction(vscode.l10n.t('Redact: {0}', wordOf(diagnostic)), document, [diagnostic]),
    );
    const every =
      ours.length > 0 && all.length > 1
        ? [redactAction(vscode.l10n.t('Redact all {0}', all.length), document, all)]
        : [];
    return [...one, ...every];
  }

  private scanSoon(document: vscode.TextDocument, afterMs: number): void {
    if (document.languageId === PROMPT_LANGUAGE) {
      const key = document.uri.toString();
      this.scans.get(key)?.abort();
      const scan = new AbortController();
      this.scans.set(key, scan);
      const timer = setTimeout(() => void this.scan(document, scan.signal), afterMs);
      scan.signal.addEventListener('abort', () => clearTimeout(timer));
    }
  }

  private async scan(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    try {
      const secrets = await this.finder.find(document.getText(), signal);
      if (!signal.aborted) {
        this.collection.set(
          document.uri,
          secrets.map(({ kind, start, end }) => {
            const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
            const text = vscode.l10n.t('Possible secret: {0}. You’ll be asked before it’s sent.', kindName(kind));
            const { Information, Warning } = vscode.DiagnosticSeverity;
            const diagnostic = new vscode.Diagnostic(range, text, isLikelyOnly(kind) ? Information : Warning);
            return Object.assign(diagnostic, { source: SOURCE, code: kind });
          }),
        );
      }
    } catch (error) {
      if (!signal.aborted) {
        this.log.error('couldn’t scan a prompt for secrets', error);
      }
    }
  }

  private clear({ uri }: vscode.TextDocument): void {
    this.scans.get(uri.toString())?.abort();
    this.scans.delete(uri.toString());
    this.collection.delete(uri);
  }
}

function redactAction(
  title: string,
  document: vscode.TextDocument,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [...diagnostics];
  action.isPreferred = diagnostics.length === 1;
  action.edit = new vscode.WorkspaceEdit();
  for (const diagnostic of diagnostics) {
    action.edit.replace(document.uri, diagnostic.range, `[redacted: ${wordOf(diagnostic)}]`);
  }
  return action;
}

function wordOf({ code }: vscode.Diagnostic): string {
  return kindName(typeof code === 'string' ? code : '');
}
