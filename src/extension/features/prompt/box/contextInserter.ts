import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import { LOCAL_SERVICE, type ServiceLocation } from '../../../../jobs/events';
import { type ContextBlock, renderBlock } from '../../../../prompt/contextBlock';
import { toLabel, toNotice, toPickLabel } from '../../../platform/sanitize';
import type { Projects } from '../../../sending/projects';
import { settings } from '../../../settings';
import type { Composer } from '../composer/composer';
import type { DraftFile } from '../../../../jobs/store/draftFiles';
import { projectFolder, readFolder } from '../../../sending/drafts';
import { promptFolder } from '../composer/promptFiles';
import { itemsToAddTo } from './draftItems';

/** Maximum number of sentences in a notice. */
const MAX_TOLD = 5;

/** A word in a prompt that the added context will replace. Lines and characters count from 0. */
export interface PromptWord {
  uri: string;
  line: number;
  start: number;
  text: string;
}

/** The context collected for a prompt. */
export interface Collected {
  blocks: readonly ContextBlock[];
  /** What was left out and why, one sentence each, for the user. */
  refused: readonly string[];
}

export interface Addition extends Collected {
  /** What the agent should do with the context; goes before the blocks. A snippet comes without blocks. */
  instruction?: string | vscode.SnippetString;
  /** When a new prompt is opened, the workspace folder of this resource determines the project. */
  resource?: vscode.Uri | undefined;
}

/** Where to insert the text: a new prompt for a home, or an existing draft. */
interface PromptPlace {
  home: ServiceLocation;
  draft?: DraftFile | undefined;
}

/** The only way to add context to a prompt: as text that the user can see and change before it is sent. */
export class ContextInserter {
  constructor(
    private readonly composer: Composer,
    private readonly projects: Projects,
    private readonly log: Logger,
    private readonly word?: PromptWord,
  ) {}

  /** Returns a desk whose additions replace the given word. */
  inPlaceOf(word: PromptWord | undefined): ContextInserter {
    return word === undefined ? this : new ContextInserter(this.composer, this.projects, this.log, word);
  }

  /**
   * Adds to the current prompt, or opens one for a new job. Undefined when there is nothing to add or the user
   * cancelled.
   */
  add(addition: Addition): Promise<vscode.TextEditor | undefined> {
    return this.put(addition, 'atHand');
  }

  /** Like `add`, but always in the prompt of a new job. */
  begin(addition: Addition): Promise<vscode.TextEditor | undefined> {
    return this.put(addition, 'new');
  }

  private async put(addition: Addition, place: 'atHand' | 'new'): Promise<vscode.TextEditor | undefined> {
    const { instruction = '', blocks, refused, resource } = addition;
    if (refused.length > 0) {
      this.showRefused(refused);
    }
    const text =
      typeof instruction === 'string'
        ? [instruction, ...blocks.map(renderBlock)].filter((part) => part !== '').join('\n\n')
        : instruction;
    if (text === '') {
      return undefined;
    }
    const open = place === 'atHand' ? ((await this.wordEditor()) ?? (await this.composer.reopen())) : undefined;
    if (open !== undefined) {
      warnOtherProject(open.document.uri, resource);
      await this.composer.insert(open, text);
      return open;
    }
    const chosen = await this.askPlace(resource);
    const opened = chosen && (await this.openAt(chosen));
    await (opened && this.composer.insert(opened, text));
    return opened;
  }

  /**
   * A new prompt, or an existing draft if the user picks one: its text would be sent along. Undefined when cancelled.
   */
  private async askPlace(resource: vscode.Uri | undefined): Promise<PromptPlace | undefined> {
    const home = await this.projects.choose(undefined, resource);
    const drafts = home === undefined ? [] : await this.composer.list(projectFolder(home));
    if (home === undefined || drafts.length === 0) {
      return home && { home };
    }
    const options = {
      title: vscode.l10n.t('You have an unsent prompt for {0}', toLabel(home.projectName ?? home.projectId, 50)),
      placeHolder: vscode.l10n.t('Choose where to add the text. Press Escape to cancel'),
      ignoreFocusOut: true,
    };
    const picked = await vscode.window.showQuickPick(itemsToAddTo(drafts), options);
    return picked && { home, draft: picked.draft };
  }

  private openAt({ home, draft }: PromptPlace): Promise<vscode.TextEditor> {
    return draft === undefined ? this.composer.openEmpty(home) : this.composer.open(draft.path);
  }

  /** The notice shows the first sentences; the log has all of them. */
  private showRefused(refused: readonly string[]): void {
    const more = refused.length - MAX_TOLD;
    const told = refused.slice(0, MAX_TOLD).map((sentence) => toNotice(sentence, 160));
    if (more > 0) {
      refused.forEach((sentence) => this.log.info(`not added to the prompt: ${sentence}`));
      told.push(vscode.l10n.t('And {0} more, listed in the log.', more));
    }
    void vscode.window.showWarningMessage(told.join(' '));
  }

  /**
   * Returns the editor whose prompt contains the word, with the word removed and the cursor in its place; undefined
   * when the word is gone.
   */
  private async wordEditor(): Promise<vscode.TextEditor | undefined> {
    const { word } = this;
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === word?.uri);
    if (word === undefined || document === undefined || document.isClosed) {
      return undefined;
    }
    const range = new vscode.Range(word.line, word.start, word.line, word.start + word.text.length);
    if (document.getText(range) !== word.text) {
      return undefined;
    }
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    if (await editor.edit((edit) => edit.delete(range))) {
      editor.selection = new vscode.Selection(range.start, range.start);
    }
    return editor;
  }
}

/** Warns when the current prompt is for a different project than the folder that the context comes from. */
function warnOtherProject(prompt: vscode.Uri, resource: vscode.Uri | undefined): void {
  const folder = resource && vscode.workspace.getWorkspaceFolder(resource);
  const target = readFolder(promptFolder(prompt) ?? '');
  if (folder === undefined || target === undefined || 'jobKey' in target || target.service === LOCAL_SERVICE) {
    return;
  }
  const own = settings.projectId(folder.uri);
  if (own !== '' && own !== target.projectId) {
    const text = vscode.l10n.t(
      'Added to the prompt for {0}, but the folder {1} belongs to {2}',
      toLabel(target.projectId, 40),
      toLabel(folder.name, 40),
      toLabel(own, 40),
    );
    vscode.window.setStatusBarMessage(`$(warning) ${toPickLabel(text)}`, 10_000);
  }
}
