import * as vscode from 'vscode';
import type { Home } from '../../../jobs/events';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { promptText } from '../../../prompt/promptText';
import type { Secret } from '../../../prompt/secrets/secret';
import type { Logger } from '../../../shared/util/logger';
import { DisposableStore } from '../../../shared/util/disposable';
import { followUpTitle } from '../../commands/sendFollowUp';
import type { Sender, Sending } from '../../sender';
import { toLabel } from '../../text';
import type { Drafts } from '../drafts';
import type { SendGuard } from '../guard/sendGuard';
import { notKeptNotice } from '../notKept';
import { refuseTooLong } from '../tooLong';
import { type ComposerTarget, composerDraft, composerUri, readTarget, targetOf } from './composerTarget';
import { tabsOf } from './tabsOf';
import type { TargetFacts } from './targetFacts';

const { t } = vscode.l10n;

export interface ComposerOptions {
  drafts: Drafts;
  facts: TargetFacts;
  guard: SendGuard;
  sender: Sender;
  log: Logger;
}

/** How long a text may stand in the editor alone before its document is saved, so that a tab closes without a question. */
const SAVE_AFTER_MS = 700;

/**
 * Prompts as Markdown documents of the editor. What is typed is the draft of its target at each moment; a document is
 * emptied and closed only when its prompt is kept by the outbox.
 */
export class Composer implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly saving = new Map<string, NodeJS.Timeout>();
  private readonly sending = new Set<string>();
  /** The prompt that had the cursor last. */
  private last: vscode.Uri | undefined;

  constructor(private readonly options: ComposerOptions) {
    this.last = this.active?.uri;
    this.owned.add(
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.last = this.active?.uri ?? this.last;
      }),
    );
    this.owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => this.onChange(document)));
    this.owned.add({ dispose: () => this.saving.forEach((timer) => clearTimeout(timer)) });
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** The composer's document that has the cursor, or else one that can be seen. */
  get active(): vscode.TextDocument | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const editors = activeTextEditor === undefined ? visibleTextEditors : [activeTextEditor, ...visibleTextEditors];
    return editors.map(({ document }) => document).find(({ uri }) => readTarget(uri) !== undefined);
  }

  /** Brings the prompt that had the cursor last to the front again; undefined when its tab is closed. */
  async reopen(): Promise<vscode.TextEditor | undefined> {
    const uri = this.active?.uri ?? this.last;
    const tab = uri && tabsOf(uri)[0];
    return tab && vscode.window.showTextDocument(uri, { preview: false, viewColumn: tab.group.viewColumn });
  }

  /** Opens the document for a new job; text that is given stands below what was there. */
  openForHome(home: Home, text?: string): Promise<vscode.TextEditor> {
    const name = toLabel(home.projectName ?? home.projectId, 50);
    return this.show(targetOf(home), t('New job for {0}', name), text);
  }

  openForJob(job: TrackedJob, text?: string): Promise<vscode.TextEditor> {
    return this.show({ kind: 'followUp', jobKey: job.key }, followUpTitle(job), text);
  }

  /** Puts a block of text where the cursor is, on lines of its own; `end` stands below it where nothing else does. */
  async insert(editor: vscode.TextEditor, block: string, end = '\n'): Promise<void> {
    const { document, selection } = editor;
    const at = selection.active;
    const before = document.getText(new vscode.Range(new vscode.Position(0, 0), at));
    const after = document.getText(new vscode.Range(at, document.lineAt(document.lineCount - 1).range.end));
    const lead = before.trim() === '' ? '' : '\n'.repeat(Math.max(0, 2 - trailingBreaks(before)));
    const tail = after.trim() === '' ? end : '\n\n';
    await editor.edit((edit) => edit.insert(at, `${lead}${block.trim()}${tail}`));
    editor.revealRange(new vscode.Range(editor.selection.active, editor.selection.active));
  }

  /**
   * Sends what stands in a composer's document. Resolves to the job once the prompt is kept, and to undefined when it is
   * not: then the document stays as it is, and the user was told.
   */
  async send(document: vscode.TextDocument): Promise<Sending | undefined> {
    const target = readTarget(document.uri);
    const key = document.uri.toString();
    if (target === undefined || this.sending.has(key)) {
      return undefined;
    }
    if (promptText(document.getText()) === '') {
      void vscode.window.showWarningMessage(t('Type what the agent should do. An empty prompt is not sent.'));
      return undefined;
    }
    this.sending.add(key);
    try {
      const sending = await this.keep(document, target);
      if (sending !== undefined) {
        await this.empty(document, target);
      }
      return sending;
    } catch (error) {
      this.options.log.error('a prompt could not be saved, and was not sent', error);
      void vscode.window.showErrorMessage(notKeptNotice(error), t('OK'));
      return undefined;
    } finally {
      this.sending.delete(key);
    }
  }

  private async keep(document: vscode.TextDocument, target: ComposerTarget): Promise<Sending | undefined> {
    const { sender, facts } = this.options;
    const home = facts.homeOf(target);
    const job = facts.jobOf(target);
    if (target.kind === 'followUp' && job === undefined) {
      void vscode.window.showWarningMessage(
        t('This job is not in the list any more. Copy the text to another prompt.'),
      );
    }
    const prompt = home && (await this.guarded(document, home));
    if (home === undefined || prompt === undefined) {
      return undefined;
    }
    return job === undefined ? sender.create(home, prompt) : sender.followUp(job, prompt);
  }

  /** The prompt as it may go; undefined when the user does not want to send it now. Throws TooLongError. */
  private async guarded(document: vscode.TextDocument, home: Home): Promise<string | undefined> {
    for (;;) {
      const prompt = promptText(document.getText());
      refuseTooLong(home, prompt);
      const decision = await this.options.guard.ask(prompt, true);
      if ('look' in decision) {
        await this.lookAt(document, prompt, decision.look);
      }
      if (!('send' in decision)) {
        return undefined;
      }
      // What was typed while the question stood there was not asked about.
      if (promptText(document.getText()) === prompt) {
        return decision.send;
      }
    }
  }

  private async lookAt(document: vscode.TextDocument, prompt: string, [first]: readonly Secret[]): Promise<void> {
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    // The prompt begins where the first character of the document does that is not empty, and has no carriage returns.
    const value = first && prompt.slice(first.start, first.end).split('\n')[0];
    const at = value === undefined ? -1 : document.getText().indexOf(value);
    if (value !== undefined && at !== -1) {
      editor.selection = new vscode.Selection(document.positionAt(at), document.positionAt(at + value.length));
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  private async show(target: ComposerTarget, title: string, text?: string): Promise<vscode.TextEditor> {
    const uri = composerUri(target, title);
    const document = await vscode.workspace.openTextDocument(uri, { encoding: 'utf8' });
    const markdown =
      document.languageId === 'markdown'
        ? document
        : await vscode.languages.setTextDocumentLanguage(document, 'markdown');
    const end = markdown.lineAt(markdown.lineCount - 1).range.end;
    // Set later, the cursor could go back to where the text ended before the first keys.
    const selection = new vscode.Range(end, end);
    const editor = await vscode.window.showTextDocument(markdown, { preview: false, selection });
    if (text !== undefined && text.trim() !== '') {
      await this.insert(editor, text, '');
    }
    return editor;
  }

  private onChange(document: vscode.TextDocument): void {
    const target = readTarget(document.uri);
    if (target === undefined || !document.isDirty) {
      return;
    }
    this.options.drafts.type(composerDraft(target), document.getText());
    const key = document.uri.toString();
    clearTimeout(this.saving.get(key));
    this.saving.set(
      key,
      setTimeout(() => void document.save(), SAVE_AFTER_MS),
    );
  }

  /** The prompt is kept elsewhere now. */
  private async empty(document: vscode.TextDocument, target: ComposerTarget): Promise<void> {
    clearTimeout(this.saving.get(document.uri.toString()));
    const edit = new vscode.WorkspaceEdit();
    edit.delete(document.uri, new vscode.Range(0, 0, document.lineCount, 0));
    await vscode.workspace.applyEdit(edit);
    await document.save();
    await this.options.drafts.drop(composerDraft(target));
    await vscode.window.tabGroups.close(tabsOf(document.uri), true);
  }
}

function trailingBreaks(text: string): number {
  return /\n*$/.exec(text)?.[0].length ?? 0;
}
