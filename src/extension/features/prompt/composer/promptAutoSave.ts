import * as vscode from 'vscode';
import { DisposableStore } from '../../../../base/disposable';
import type { Logger } from '../../../../base/logger';
import type { Drafts } from '../../../sending/drafts';
import { wholeOf } from './documentEdits';

/** Idle time before a document is saved, in milliseconds. A saved tab closes without a confirmation. */
const SAVE_AFTER_MS = 700;

/**
 * Saves prompts when typing pauses. Save participants (trimming whitespace, formatting) must not change text under the
 * user's cursor; if they would, the document is saved when the cursor leaves it.
 */
export class PromptAutoSave implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  /** By address. Without a timer, the document is saved when the cursor leaves it. */
  private readonly waiting = new Map<string, { document: vscode.TextDocument; timer?: NodeJS.Timeout }>();

  constructor(private readonly options: { drafts: Pick<Drafts, 'isFailing'>; log: Logger }) {
    this.owned.add(vscode.window.onDidChangeActiveTextEditor(() => this.saveLeft()));
    this.owned.add(vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)));
    this.owned.add({ dispose: () => this.waiting.forEach(({ timer }) => clearTimeout(timer)) });
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Schedules a save; call this after each change. */
  later(document: vscode.TextDocument): void {
    this.forget(document);
    const timer = setTimeout(() => {
      this.waiting.set(document.uri.toString(), { document });
      this.saveUnlessRewritten(document).catch((error: unknown) =>
        this.options.log.warn('couldn’t save a prompt', error),
      );
    }, SAVE_AFTER_MS);
    this.waiting.set(document.uri.toString(), { document, timer });
  }

  forget({ uri }: vscode.TextDocument): void {
    clearTimeout(this.waiting.get(uri.toString())?.timer);
    this.waiting.delete(uri.toString());
  }

  private async saveUnlessRewritten(document: vscode.TextDocument): Promise<void> {
    const { version } = document;
    if ((!hasCursor(document) || !(await isRewrittenBySave(document))) && document.version === version) {
      this.save(document);
    }
  }

  private saveLeft(): void {
    for (const { document, timer } of this.waiting.values()) {
      if (timer === undefined && !hasCursor(document)) {
        this.save(document);
      }
    }
  }

  /** While the disk rejects writes, the document stays dirty: the editor would report every attempt. */
  private save(document: vscode.TextDocument): void {
    if (!this.options.drafts.isFailing) {
      this.forget(document);
      void document.save();
    }
  }
}

function hasCursor(document: vscode.TextDocument): boolean {
  return vscode.window.activeTextEditor?.document === document;
}

/** Whether the user's settings would change the text on save. */
async function isRewrittenBySave(document: vscode.TextDocument): Promise<boolean> {
  const text = document.getText();
  const files = vscode.workspace.getConfiguration('files', document);
  if (files.get('trimTrailingWhitespace') === true && /[ \t]\r?$/m.test(text)) {
    return true;
  }
  if (files.get('trimFinalNewlines') === true && /\n\r?\n$/.test(text)) {
    return true;
  }
  const editor = vscode.workspace.getConfiguration('editor', document);
  return (editor.get('formatOnSave') === true && (await isFormatted(document))) || (await isFixed(document, editor));
}

async function isFormatted(document: vscode.TextDocument): Promise<boolean> {
  const options: vscode.FormattingOptions = { tabSize: 4, insertSpaces: true };
  const command = 'vscode.executeFormatDocumentProvider';
  const edits = await vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(command, document.uri, options);
  return edits !== undefined && edits.length > 0;
}

async function isFixed(document: vscode.TextDocument, editor: vscode.WorkspaceConfiguration): Promise<boolean> {
  const wanted = Object.entries(editor.get<Record<string, unknown>>('codeActionsOnSave') ?? {});
  for (const [kind] of wanted.filter(([, when]) => when === true || when === 'explicit' || when === 'always')) {
    const found = await vscode.commands.executeCommand<vscode.CodeAction[] | undefined>(
      'vscode.executeCodeActionProvider',
      document.uri,
      wholeOf(document),
      kind,
    );
    if (found !== undefined && found.length > 0) {
      return true;
    }
  }
  return false;
}
