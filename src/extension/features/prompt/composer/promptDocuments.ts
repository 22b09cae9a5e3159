import * as vscode from 'vscode';
import type { KeyedQueue } from '../../../../base/async';
import { DisposableStore } from '../../../../base/disposable';
import { LOCAL_SERVICE } from '../../../../jobs/events';
import type { JobStore } from '../../../../jobs/jobStore';
import { toLabel } from '../../../platform/sanitize';
import type { Drafts } from '../../../sending/drafts';
import { followUpTitle } from '../box/promptCommands';
import { FILE_ENCODING } from './composerFiles';
import type { ComposerDrafts } from './composerDrafts';
import { composerAddress, composerDraft, type ComposerTarget, readTarget, type TargetFacts } from './composerTarget';
import { insertBlock } from './documentEdits';
import { addressInUse } from './tabsOf';

export interface PromptDocumentsOptions {
  drafts: Pick<Drafts, 'type' | 'flush'>;
  begun: ComposerDrafts;
  facts: TargetFacts;
  /** Serializes changes to the same prompt. */
  turns: KeyedQueue;
}

/** Opens prompts as documents of the editor. */
export class PromptDocuments {
  constructor(private readonly options: PromptDocumentsOptions) {}

  /** Opens the most recently edited prompt. Given text starts a separate prompt, unless one with this text exists. */
  openFor(first: ComposerTarget, text = ''): Promise<vscode.TextEditor> {
    return this.inTurn(first, async () => {
      const begun = await this.options.begun.of(first);
      const known = text.trim() === '' ? begun[0] : begun.find((each) => each.text.trim() === text.trim());
      return known !== undefined
        ? this.open(known.target, known.number, '')
        : this.open(await this.options.begun.empty(first), begun.length + 1, text);
    });
  }

  /** Opens an empty prompt. */
  openEmpty(first: ComposerTarget): Promise<vscode.TextEditor> {
    return this.inTurn(first, async () => {
      const { length } = await this.options.begun.of(first);
      return this.open(await this.options.begun.empty(first), length + 1);
    });
  }

  /** Serialized, because which prompt is opened depends on the existing ones. */
  private inTurn<T>(target: ComposerTarget, open: () => Promise<T>): Promise<T> {
    this.options.facts.choose(target);
    return this.options.turns.run(`open ${composerDraft(target)}`, open);
  }

  /** @param number shown in the title to tell prompts for the same target apart */
  open(target: ComposerTarget, number: number, text?: string): Promise<vscode.TextEditor> {
    const draft = composerDraft(target);
    const title = number > 1 ? `${this.titleOf(target)} (${number})` : this.titleOf(target);
    return this.options.turns.run(draft, async () => {
      const uri = addressInUse(target) ?? vscode.Uri.from(composerAddress(target, title));
      const editor = await this.showNow(uri, text);
      if (text !== undefined) {
        // Flush at once: the caller drops its own copy of the text as soon as this one is safe.
        this.options.drafts.type(draft, editor.document.getText());
        await this.options.drafts.flush(draft);
      }
      return editor;
    });
  }

  private titleOf(target: ComposerTarget): string {
    const job = this.options.facts.jobOf(target);
    if (job !== undefined) {
      return followUpTitle(job);
    }
    if (target.kind === 'followUp') {
      return this.options.facts.nameOf(target);
    }
    const isLocal = target.service === LOCAL_SERVICE;
    const name = isLocal ? toLabel(target.projectName ?? target.projectId, 50) : this.options.facts.nameOf(target);
    return vscode.l10n.t('New job for {0}', name);
  }

  private async showNow(uri: vscode.Uri, text?: string): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument(uri, FILE_ENCODING);
    const markdown =
      document.languageId === 'markdown'
        ? document
        : await vscode.languages.setTextDocumentLanguage(document, 'markdown');
    const end = markdown.lineAt(markdown.lineCount - 1).range.end;
    // Setting the selection later could move the cursor back to where the text ended before the first keystrokes.
    const selection = new vscode.Range(end, end);
    const editor = await vscode.window.showTextDocument(markdown, { preview: false, selection });
    if (text !== undefined && text.trim() !== '') {
      await insertBlock(editor, text, 'end');
    }
    return editor;
  }
}

const MINUTE_MS = 60_000;

/** Ticks while a prompt is visible: when a job or a prompt in the list changes, when settings change, and once a minute. */
export class PromptRefresh implements vscode.Disposable {
  private readonly owned = new DisposableStore();
  private readonly ticks = this.owned.add(new vscode.EventEmitter<void>());
  private timer: NodeJS.Timeout | undefined;
  readonly onDidTick = this.ticks.event;

  constructor(store: Pick<JobStore, 'onDidChange'>) {
    this.owned.add(store.onDidChange(() => this.tick()));
    // They decide which service a prompt goes to.
    this.owned.add(vscode.workspace.onDidChangeConfiguration(() => this.tick()));
    this.owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.arm()));
    this.owned.add({ dispose: () => clearTimeout(this.timer) });
    this.arm();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private tick(): void {
    if (isPromptVisible()) {
      this.ticks.fire();
    }
  }

  /** Runs a timer only while a prompt is visible. */
  private arm(): void {
    clearTimeout(this.timer);
    if (isPromptVisible()) {
      this.timer = setTimeout(
        () => {
          this.tick();
          this.arm();
        },
        MINUTE_MS - (Date.now() % MINUTE_MS),
      );
    }
  }
}

function isPromptVisible(): boolean {
  return vscode.window.visibleTextEditors.some(({ document }) => readTarget(document.uri) !== undefined);
}
