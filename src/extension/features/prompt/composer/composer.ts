import * as vscode from 'vscode';
import { KeyedQueue } from '../../../../base/async';
import { DisposableStore } from '../../../../base/disposable';
import type { Logger } from '../../../../base/logger';
import type { ServiceLocation } from '../../../../jobs/events';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { promptText } from '../../../../prompt/promptText';
import type { Secret } from '../../../../prompt/secrets/secret';
import { serviceName } from '../../../platform/apiKeys';
import { showErrorWithLog } from '../../../platform/log';
import { toNotice, toQuestion } from '../../../platform/sanitize';
import type { SendTime } from '../../../platform/sendTime';
import type { Drafts } from '../../../sending/drafts';
import { whenToSend } from '../../../sending/followUps';
import { saveErrorNotice, refuseTooLong } from '../../../sending/promptLimits';
import type { SendGuard } from '../../../sending/sendGuard';
import type { Sender, Sending } from '../../../sending/sender';
import { FILE_ENCODING } from './composerFiles';
import { ComposerDrafts, type PromptDraft, withoutSent } from './composerDrafts';
import { composerDraft, type ComposerTarget, readTarget, type TargetFacts, targetOf } from './composerTarget';
import { insertBlock, replaceIn, wholeOf } from './documentEdits';
import { PromptAutoSave } from './promptAutoSave';
import { PromptDocuments } from './promptDocuments';
import { tabsOf } from './tabsOf';

export interface ComposerOptions {
  drafts: Drafts;
  facts: TargetFacts;
  guard: SendGuard;
  sender: Sender;
  newId: () => string;
  log: Logger;
}

/**
 * Prompts as Markdown documents in the editor. Every keystroke is saved as the draft of the document's target. A
 * document is emptied and closed only after the outbox has saved its prompt.
 */
export class Composer implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly saves: PromptAutoSave;
  /** Unsent drafts. */
  readonly begun: ComposerDrafts;
  private readonly documents: PromptDocuments;
  private readonly sending = new Set<string>();
  /** Serializes changes to the same prompt. */
  private readonly turns = new KeyedQueue();
  /** The prompt that last had the cursor. */
  private last: vscode.Uri | undefined;

  constructor(private readonly options: ComposerOptions) {
    this.begun = new ComposerDrafts(options.drafts, options.newId);
    this.documents = new PromptDocuments({ ...options, begun: this.begun, turns: this.turns });
    this.saves = this.owned.add(new PromptAutoSave(options));
    this.last = this.active?.uri;
    this.owned.add(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.last = isPrompt(editor?.document) ? editor?.document.uri : this.last;
      }),
    );
    this.owned.add(vscode.workspace.onDidChangeTextDocument(({ document }) => this.onChange(document)));
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** The composer document with the cursor, or the last one that had it and still has a tab, otherwise a visible one. */
  get active(): vscode.TextDocument | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    if (isPrompt(activeTextEditor?.document)) {
      return activeTextEditor?.document;
    }
    const { last } = this;
    const open = last !== undefined && tabsOf(last).length > 0 ? last.toString() : undefined;
    return (
      vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === open) ??
      visibleTextEditors.map(({ document }) => document).find(isPrompt)
    );
  }

  /** Whether `reopen` would find a prompt to bring to the front. */
  canReopen(): boolean {
    const uri = this.active?.uri ?? this.last;
    return uri !== undefined && tabsOf(uri).length > 0;
  }

  /** Brings the prompt that last had the cursor to the front; undefined when its tab is closed. */
  async reopen(): Promise<vscode.TextEditor | undefined> {
    const uri = this.active?.uri ?? this.last;
    const tab = uri && tabsOf(uri)[0];
    return tab && vscode.window.showTextDocument(uri, { preview: false, viewColumn: tab.group.viewColumn });
  }

  /**
   * Opens the most recently edited prompt for a new job. Given text starts a separate prompt, because appended to an
   * unrelated draft it would be sent along with that.
   */
  openForHome(home: ServiceLocation, text?: string): Promise<vscode.TextEditor> {
    return this.documents.openFor(targetOf(home), text);
  }

  openForJob(job: TrackedJob, text?: string): Promise<vscode.TextEditor> {
    return this.documents.openFor({ kind: 'followUp', jobKey: job.key }, text);
  }

  /** Opens the first prompt for a job and appends the text. */
  appendForJob(job: TrackedJob, text?: string): Promise<vscode.TextEditor> {
    return this.documents.open({ kind: 'followUp', jobKey: job.key }, 1, text);
  }

  /** Returns the text of the first prompt for a job; empty when there is none. */
  async textForJob({ key }: TrackedJob): Promise<string> {
    return (await this.options.drafts.peek(composerDraft({ kind: 'followUp', jobKey: key }))) ?? '';
  }

  /** Opens an empty prompt for a new job. */
  openEmpty(home: ServiceLocation): Promise<vscode.TextEditor> {
    return this.documents.openEmpty(targetOf(home));
  }

  /** Opens an existing draft. */
  openDraft({ target, number }: PromptDraft): Promise<vscode.TextEditor> {
    return this.documents.open(target, number);
  }

  /** Inserts a block of text at the cursor, on separate lines. Rejects on failure. */
  insert(editor: vscode.TextEditor, block: string | vscode.SnippetString): Promise<void> {
    return this.turns.run(nameOf(editor.document), () => insertBlock(editor, block, 'cursor'));
  }

  /**
   * Sends the content of a composer document. Resolves to the job once the prompt is saved. Otherwise resolves to
   * undefined; then the document is unchanged and the user has been told.
   */
  async send(document: vscode.TextDocument, time?: SendTime): Promise<Sending | undefined> {
    const target = readTarget(document.uri);
    const key = document.uri.toString();
    if (target === undefined || this.sending.has(key)) {
      return undefined;
    }
    if (promptText(document.getText()) === '') {
      void vscode.window.showWarningMessage(vscode.l10n.t('Enter a prompt.'));
      return undefined;
    }
    this.sending.add(key);
    try {
      const kept = await this.keep(document, target, time);
      await (kept && this.removeSentText(document, target, kept.text));
      return kept?.sending;
    } catch (error) {
      this.options.log.error('couldn’t save a prompt, so it wasn’t sent', error);
      void showErrorWithLog(saveErrorNotice(error), 'error');
      return undefined;
    } finally {
      this.sending.delete(key);
    }
  }

  private async keep(
    document: vscode.TextDocument,
    target: ComposerTarget,
    time?: SendTime,
  ): Promise<SavedPrompt | undefined> {
    const { sender, facts } = this.options;
    const home = facts.homeOf(target);
    if (target.kind === 'followUp' && home === undefined) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t('This job is no longer in the list. Copy the text to another prompt.'),
      );
    }
    const isConfirmed = home !== undefined && (facts.isKnown(target) || (await confirmed(home)));
    const prompt = isConfirmed ? await this.guarded(document, home) : undefined;
    if (home === undefined || prompt === undefined) {
      return undefined;
    }
    const text = document.getText();
    if (target.kind === 'new') {
      return { text, sending: await sender.create(home, prompt) };
    }
    // The job may have ended or restarted while the question about secrets was open.
    const job = facts.jobOf(target);
    const when = job && (time ?? (await whenToSend(job)));
    return job && when && { text, sending: await sender.followUp(job, prompt, when) };
  }

  /**
   * Returns the prompt that may be sent, built from the current content of the document; undefined when the user
   * decides not to send it now. Throws TooLongError.
   */
  private async guarded(document: vscode.TextDocument, home: ServiceLocation): Promise<string | undefined> {
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
      // Text typed while the question was open has not been checked: ask again.
      if (promptText(document.getText()) === prompt) {
        return decision.send;
      }
    }
  }

  private async lookAt(document: vscode.TextDocument, prompt: string, [first]: readonly Secret[]): Promise<void> {
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    // The prompt starts at the first non-blank character of the document, and has no carriage returns.
    const value = first && prompt.slice(first.start, first.end).split('\n')[0];
    const at = value === undefined ? -1 : document.getText().indexOf(value);
    if (value !== undefined && at !== -1) {
      editor.selection = new vscode.Selection(document.positionAt(at), document.positionAt(at + value.length));
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  private onChange(document: vscode.TextDocument): void {
    const target = readTarget(document.uri);
    if (target === undefined || !document.isDirty) {
      return;
    }
    this.options.drafts.type(composerDraft(target), document.getText());
    this.saves.later(document);
  }

  /** Removes the sent text from the document. Never rejects: the prompt was sent, whatever happens to the document. */
  private async removeSentText(document: vscode.TextDocument, target: ComposerTarget, sent: string): Promise<void> {
    try {
      await this.turns.run(composerDraft(target), () => this.takeOutNow(document.uri, target, sent));
    } catch (error) {
      this.options.log.error('couldn’t remove the text of a sent prompt from the editor', error);
      const why = toNotice(error instanceof Error ? error.message : String(error), 200);
      const text = vscode.l10n.t(
        'The prompt was sent, but its text couldn’t be removed from the editor: {0}. Delete it so you don’t send it twice.',
        why,
      );
      void vscode.window.showWarningMessage(text);
    }
  }

  private async takeOutNow(uri: vscode.Uri, target: ComposerTarget, sent: string): Promise<void> {
    // The document may have been closed in the meantime; its draft has the content.
    const document = await vscode.workspace.openTextDocument(uri, FILE_ENCODING);
    this.saves.forget(document);
    await replaceIn(document, () => {
      const now = document.getText();
      return now === '' ? undefined : { range: wholeOf(document), text: withoutSent(now, sent) };
    });
    await document.save();
    // Keys typed while the prompt was being saved start the next prompt.
    if (document.getText() === '') {
      await this.options.drafts.drop(composerDraft(target));
    }
    if (document.getText() === '') {
      await vscode.window.tabGroups.close(tabsOf(uri), true);
    }
  }
}

/** A prompt that is being sent, and the text it was built from. */
interface SavedPrompt {
  sending: Sending;
  text: string;
}

/** Asks about a project that only the address of the document names. */
async function confirmed({ service, projectId }: ServiceLocation): Promise<boolean> {
  const detail = vscode.l10n.t(
    'Project: {0}\nService: {1}\n\nNo open folder, setting, or job uses this project. If a link opened this prompt, send it only if you trust the link.',
    toQuestion(projectId, 200),
    serviceName(service),
  );
  const send = vscode.l10n.t('Send');
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(vscode.l10n.t('Send to this project?'), options, send)) === send;
}

function isPrompt(document: vscode.TextDocument | undefined): boolean {
  return document !== undefined && readTarget(document.uri) !== undefined;
}

/** Queue key for operations on the same prompt. */
function nameOf({ uri }: vscode.TextDocument): string {
  const target = readTarget(uri);
  return target === undefined ? uri.toString() : composerDraft(target);
}
