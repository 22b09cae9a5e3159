import * as vscode from 'vscode';
import { KeyedQueue } from '../../../../base/async';
import type { Logger } from '../../../../base/logger';
import { isBlank } from '../../../../base/text';
import type { ServiceLocation } from '../../../../jobs/events';
import type { DraftFile } from '../../../../jobs/store/draftFiles';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { firstBlockAt } from '../../../../prompt/contextBlock';
import { promptText } from '../../../../prompt/promptText';
import { showErrorWithLog } from '../../../platform/log';
import { toNotice } from '../../../platform/sanitize';
import type { SendTime } from '../../../platform/sendTime';
import { type Drafts, jobFolder } from '../../../sending/drafts';
import { whenToSend } from '../../../sending/followUps';
import { saveErrorText } from '../../../sending/promptLimits';
import type { Sender, Sending } from '../../../sending/sender';
import { type SendGuard, sendPrompt } from '../../../sending/sendPrompt';
import { promptFolder } from './promptFiles';
import type { PromptTargets } from './promptTargets';

export interface ComposerOptions {
  drafts: Drafts;
  targets: PromptTargets;
  guard: SendGuard;
  sender: Sender;
  log: Logger;
}

/**
 * Prompts as Markdown files in the editor, which saves and restores them like any file. A file is deleted and closed
 * only after the outbox has saved its prompt.
 */
export class Composer implements vscode.Disposable {
  private readonly sending = new Set<string>();
  /** Serializes changes to the same prompt. */
  private readonly turns = new KeyedQueue();
  /** The prompt that last had the cursor. */
  private last = vscode.window.activeTextEditor?.document.uri;
  private readonly listening = vscode.window.onDidChangeActiveTextEditor((editor) => {
    this.last = this.isPrompt(editor?.document) ? editor?.document.uri : this.last;
  });

  constructor(private readonly options: ComposerOptions) {}

  dispose(): void {
    this.listening.dispose();
  }

  /** The prompt with the cursor, or the last one that had it and still has a tab, otherwise a visible one. */
  get active(): vscode.TextDocument | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    const last = this.last !== undefined && tabsOf(this.last).length > 0 ? this.last.toString() : undefined;
    const documents = [
      activeTextEditor?.document,
      vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === last),
      ...visibleTextEditors.map(({ document }) => document),
    ];
    return documents.find((document) => this.isPrompt(document));
  }

  /** Brings the prompt that last had the cursor to the front; undefined when its tab is closed. */
  async reopen(): Promise<vscode.TextEditor | undefined> {
    const uri = this.active?.uri ?? (this.last && promptFolder(this.last) !== undefined ? this.last : undefined);
    const tab = uri && tabsOf(uri)[0];
    return tab && vscode.window.showTextDocument(uri, { preview: false, viewColumn: tab.group.viewColumn });
  }

  /**
   * Opens the most recently edited prompt for a new job. Given text starts a separate prompt, because appended to an
   * unrelated draft it would be sent along with that.
   */
  openForLocation(location: ServiceLocation, text?: string): Promise<vscode.TextEditor> {
    return this.openFor(this.options.targets.choose(location), text);
  }

  openForJob(job: TrackedJob, text?: string): Promise<vscode.TextEditor> {
    return this.openFor(jobFolder(job.key), text);
  }

  /** Opens an empty prompt for a new job. */
  openEmpty(location: ServiceLocation): Promise<vscode.TextEditor> {
    return this.openNew(this.options.targets.choose(location), '');
  }

  /** Opens the most recently edited prompt for a job and appends the text. */
  async appendForJob(job: TrackedJob, text = ''): Promise<vscode.TextEditor> {
    const editor = await this.openForJob(job);
    await (text.trim() === '' || this.insert(editor, text));
    await editor.document.save();
    return editor;
  }

  /** Returns the text of the most recently edited prompt for a job; empty when there is none. */
  async textForJob({ key }: TrackedJob): Promise<string> {
    return (await this.list(jobFolder(key)))[0]?.text ?? '';
  }

  /** The prompts that have text, newest first, in one folder or in all. */
  async list(folder?: string): Promise<DraftFile[]> {
    const typed = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty);
    const texts = new Map(typed.map((document) => [document.uri.fsPath, document.getText()]));
    const files = await this.options.drafts.files.all(folder);
    return files
      .map((file) => ({ ...file, text: texts.get(vscode.Uri.file(file.path).fsPath) ?? file.text }))
      .filter(({ text }) => text.trim() !== '');
  }

  /** Opens the file of a prompt, with the cursor at its end. */
  async open(path: string): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
    const { end } = document.lineAt(document.lineCount - 1).range;
    const viewColumn = tabsOf(document.uri)[0]?.group.viewColumn ?? vscode.ViewColumn.Active;
    const selection = new vscode.Range(end, end);
    return vscode.window.showTextDocument(document, { preview: false, selection, viewColumn });
  }

  /** Inserts a block of text, at the cursor unless the placement says otherwise. Rejects on failure. */
  insert(editor: vscode.TextEditor, block: string | vscode.SnippetString, placement: Placement = {}): Promise<void> {
    return this.turns.run(editor.document.uri.toString(), () => insertBlock(editor, block, placement));
  }

  /**
   * Sends the content of a prompt. Resolves to the job once the prompt is saved. Otherwise resolves to undefined; then the
   * document is unchanged and the user has been told.
   */
  async send(document: vscode.TextDocument, time?: SendTime): Promise<Sending | undefined> {
    const { sender, targets } = this.options;
    const target = targets.get(document.uri);
    const key = document.uri.toString();
    if (target === undefined || this.sending.has(key)) {
      return undefined;
    }
    const { folder, location, isFollowUp } = target;
    if (isBlank(document.getText()) || location === undefined) {
      const text =
        location === undefined
          ? vscode.l10n.t('This job is no longer in the list. Copy the text to another prompt.')
          : vscode.l10n.t('Enter a prompt.');
      void vscode.window.showWarningMessage(text);
      return undefined;
    }
    let sent = '';
    const save = async (prompt: string): Promise<Sending | undefined> => {
      sent = document.getText();
      if (!isFollowUp) {
        return sender.create(location, prompt);
      }
      // The job may have ended or restarted while the question about secrets was open.
      const { job } = targets.ofFolder(folder);
      const when = job && (time ?? (await whenToSend(job)));
      return job && when && sender.followUp(job, prompt, when);
    };
    this.sending.add(key);
    const result = await sendPrompt(this.options, {
      location,
      text: () => promptText(document.getText()),
      edit: (prompt, [first]) => showText(document, first && prompt.slice(first.start, first.end).split('\n')[0]),
      save,
    });
    if (result.outcome === 'failed') {
      void showErrorWithLog(saveErrorText(result.error, toNotice), 'error');
    }
    await (result.outcome === 'sent' && this.removeSentText(document.uri, sent));
    this.sending.delete(key);
    return result.outcome === 'sent' ? result.sending : undefined;
  }

  private async openFor(folder: string, text = ''): Promise<vscode.TextEditor> {
    const drafts = await this.list(folder);
    const known = text.trim() === '' ? drafts[0] : drafts.find((each) => each.text.trim() === text.trim());
    return known === undefined ? this.openNew(folder, text) : this.open(known.path);
  }

  /** An empty file is used again. */
  private async openNew(folder: string, text: string): Promise<vscode.TextEditor> {
    const { drafts, targets } = this.options;
    const used = new Set((await this.list(folder)).map(({ path }) => path));
    const empty = text.trim() === '' ? (await drafts.files.all(folder)).find(({ path }) => !used.has(path)) : undefined;
    if (empty !== undefined) {
      return this.open(empty.path);
    }
    // For a while, the editor keeps the text of a closed document, even if its file is deleted and created again.
    const known = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.fsPath));
    const isFree = (path: string): boolean => !known.has(vscode.Uri.file(path).fsPath);
    const editor = await this.open(await drafts.files.create(folder, { title: targets.titleOf(folder), text, isFree }));
    // The user has not seen the text yet, nor where it goes.
    editor.revealRange(new vscode.Range(0, 0, 0, 0));
    return editor;
  }

  /**
   * Removes the sent text from the document, and the file unless something was typed in the meantime. Never rejects: the
   * prompt was sent, whatever happens to the document.
   */
  private async removeSentText(uri: vscode.Uri, sent: string): Promise<void> {
    try {
      await this.turns.run(uri.toString(), async () => {
        const document = await vscode.workspace.openTextDocument(uri);
        await replaceIn(document, () => {
          const at = document.getText().indexOf(sent);
          if (at === -1) {
            throw new Error(vscode.l10n.t('it was changed in the meantime'));
          }
          return { range: new vscode.Range(document.positionAt(at), document.positionAt(at + sent.length)), text: '' };
        });
        await document.save();
        if (document.getText().trim() === '') {
          await vscode.window.tabGroups.close(tabsOf(uri), true);
          // A key may have been typed until the tab was closed.
          await document.save();
          await this.options.drafts.files.removeEmpty(uri.fsPath);
        }
      });
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

  private isPrompt(document: vscode.TextDocument | undefined): boolean {
    return document !== undefined && this.options.targets.get(document.uri) !== undefined;
  }
}

/** Selects a text in a prompt; it has no line breaks, which differ between the prompt and its document. */
export async function showText(document: vscode.TextDocument, value: string | undefined): Promise<void> {
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  const at = value === undefined ? -1 : document.getText().indexOf(value);
  if (value !== undefined && at !== -1) {
    editor.selection = new vscode.Selection(document.positionAt(at), document.positionAt(at + value.length));
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** The tabs of all groups that show this document. */
function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

/** A range and the text that replaces it. */
interface Replacement {
  range: vscode.Range;
  text: string | vscode.SnippetString;
}

/** Maximum number of attempts, and the longest wait between two of them, in milliseconds. */
const MAX_TRIES = 200;
const MAX_WAIT_MS = 30;

/**
 * Edits a document that the user may be typing in. VS Code rejects an edit made for an older version of the text, so
 * `make` is called again for each attempt; it returns undefined when there is nothing left to do. Throws when every
 * attempt was rejected.
 */
async function replaceIn(document: vscode.TextDocument, make: () => Replacement | undefined): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const wanted = make();
    if (wanted === undefined || (await tryEdit(document, wanted))) {
      return;
    }
    await waitForSelectionChange(document);
  }
  throw new Error(vscode.l10n.t('the prompt’s text keeps changing'));
}

/** Where a block of text goes. */
export interface Placement {
  /** Above the context that is already in the prompt. */
  isAboveContext?: boolean | undefined;
  /** To the end of the prompt; a mention of it takes the place of a word, with the cursor behind it. */
  inPlaceOf?: { range: vscode.Range; word: string; mention: string } | undefined;
}

/** Inserts a block of text on separate lines; throws on failure. The editor handles placeholders of a snippet. */
async function insertBlock(
  given: vscode.TextEditor,
  block: string | vscode.SnippetString,
  { isAboveContext, inPlaceOf }: Placement,
): Promise<void> {
  const { document } = given;
  await replaceIn(document, () => {
    // What was typed in the meantime may have moved the word.
    if (inPlaceOf !== undefined && typeof block === 'string' && document.getText(inPlaceOf.range) === inPlaceOf.word) {
      return mentionAt(document, inPlaceOf.range, inPlaceOf.mention, block);
    }
    const at = document.validatePosition((editorOf(document, given) ?? given).selection.active);
    const before = document.getText(new vscode.Range(new vscode.Position(0, 0), at));
    const above = isAboveContext === true ? firstBlockAt(before) : undefined;
    const snippet = typeof block === 'string' ? asSnippet(block.trim()) : block;
    return blockAt(document, above === undefined ? at : document.positionAt(above), snippet);
  });
  const editor = editorOf(document, given);
  editor?.revealRange(new vscode.Range(editor.selection.active, editor.selection.active));
}

/** One edit, so that nothing can be typed between the mention and the block. */
function mentionAt(document: vscode.TextDocument, range: vscode.Range, mention: string, block: string): Replacement {
  const { end } = document.lineAt(document.lineCount - 1).range;
  const rest = document.getText(new vscode.Range(range.end, end)).trimEnd();
  const text = asSnippet(mention).appendTabstop(0).appendText(`${rest}\n\n${block.trim()}\n`);
  return { range: new vscode.Range(range.start, end), text };
}

function asSnippet(text: string): vscode.SnippetString {
  return new vscode.SnippetString().appendText(text);
}

/** The cursor goes to the line below; that and no other blank line separates the block from what follows. */
function blockAt(document: vscode.TextDocument, at: vscode.Position, { value }: vscode.SnippetString): Replacement {
  const before = document.getText(new vscode.Range(new vscode.Position(0, 0), at)).trimEnd();
  const after = document.getText(new vscode.Range(at, document.lineAt(document.lineCount - 1).range.end));
  const [tail, blank] = after.trim() === '' ? ['\n', ''] : ['\n$0\n', /^\s*\n/.exec(after)?.[0] ?? ''];
  const end = document.positionAt(document.offsetAt(at) + blank.length);
  const text = new vscode.SnippetString(`${before === '' ? '' : '\n\n'}${value}${tail}`);
  return { range: new vscode.Range(document.positionAt(before.length), end), text };
}

/** Returns an editor that shows the document, preferring the given one. */
function editorOf(document: vscode.TextDocument, first?: vscode.TextEditor): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const shown = visibleTextEditors.filter((editor) => editor.document.uri.toString() === document.uri.toString());
  return shown.find((editor) => editor === first) ?? shown.find((editor) => editor === activeTextEditor) ?? shown[0];
}

async function tryEdit(document: vscode.TextDocument, { range, text }: Replacement): Promise<boolean> {
  const editor = editorOf(document);
  if (editor === undefined) {
    const edit = new vscode.WorkspaceEdit();
    if (typeof text === 'string') {
      edit.replace(document.uri, range, text);
    } else {
      edit.set(document.uri, [new vscode.SnippetTextEdit(range, text)]);
    }
    return vscode.workspace.applyEdit(edit);
  }
  try {
    if (typeof text !== 'string') {
      return await editor.insertSnippet(text, range, {
        undoStopBefore: true,
        undoStopAfter: true,
        keepWhitespace: true,
      });
    }
    return await editor.edit((edit) => edit.replace(range, text));
  } catch (error) {
    // If the editor has just been closed, the next attempt edits the document without one.
    if (editorOf(document) === editor) {
      throw error;
    }
    return false;
  }
}

/**
 * Resolves at the document's next selection change (the next keystroke), when the extension host's view of text and
 * cursor is current, or after a short time without one.
 */
function waitForSelectionChange({ uri }: vscode.TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      listening.dispose();
      clearTimeout(timer);
      resolve();
    };
    const listening = vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor.document.uri.toString() === uri.toString()) {
        done();
      }
    });
    const timer = setTimeout(done, MAX_WAIT_MS);
  });
}
