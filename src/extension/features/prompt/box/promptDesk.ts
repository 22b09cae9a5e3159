import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import type { Home } from '../../../../jobs/events';
import { type ContextBlock, renderBlock } from '../../../../prompt/contextBlock';
import { toLabel, toNotice, toPickLabel } from '../../../platform/sanitize';
import type { Projects } from '../../../sending/projects';
import { settings } from '../../../settings';
import type { Composer } from '../composer/composer';
import { itemsToAddTo, type PromptDraft } from '../composer/composerDrafts';
import { readTarget, targetOf } from '../composer/composerTarget';

/** How many sentences a notice can hold. */
const MAX_TOLD = 5;

/** What was typed in a prompt, whose place is to be taken. Lines and characters count from 0. */
export interface PromptWord {
  uri: string;
  line: number;
  start: number;
  text: string;
}

/** What was gathered for a prompt. */
export interface Collected {
  blocks: readonly ContextBlock[];
  /** What is not among them and why, a sentence each, for the user. */
  refused: readonly string[];
}

export interface Addition extends Collected {
  /** What the agent should do with it, before the blocks. A snippet comes without blocks. */
  instruction?: string | vscode.SnippetString;
  /** Whose folder decides the project, where a prompt is opened. */
  resource?: vscode.Uri | undefined;
}

/** Where a text goes: a new prompt for a home, or one that was begun. */
interface PromptPlace {
  home: Home;
  draft?: PromptDraft | undefined;
}

/** The only way for context into a prompt: as text that the user sees, and can change, before it is sent. */
export class PromptDesk {
  constructor(
    private readonly composer: Composer,
    private readonly projects: Projects,
    private readonly log: Logger,
    private readonly word?: PromptWord,
  ) {}

  /** The same door, where what is added takes the place of a word. */
  inPlaceOf(word: PromptWord | undefined): PromptDesk {
    return word === undefined ? this : new PromptDesk(this.composer, this.projects, this.log, word);
  }

  /** Adds to the prompt that is at hand, or opens one for a new job. Undefined when there is nothing to add or the user cancelled. */
  add(addition: Addition): Promise<vscode.TextEditor | undefined> {
    return this.put(addition, 'atHand');
  }

  /** The same in the prompt of a new job, whatever other prompt is open. */
  begin(addition: Addition): Promise<vscode.TextEditor | undefined> {
    return this.put(addition, 'new');
  }

  private async put(addition: Addition, place: 'atHand' | 'new'): Promise<vscode.TextEditor | undefined> {
    const { instruction = '', blocks, refused, resource } = addition;
    if (refused.length > 0) {
      this.tell(refused);
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
      tellOtherProject(open.document.uri, resource);
      await this.composer.insert(open, text);
      return open;
    }
    const chosen = await this.askPlace(resource);
    const opened = chosen && (await this.openAt(chosen));
    await (opened && this.composer.insert(opened, text));
    return opened;
  }

  /**
   * A new prompt, or one that was begun when the user says so: what stands there is sent along. Undefined when cancelled.
   */
  private async askPlace(resource: vscode.Uri | undefined): Promise<PromptPlace | undefined> {
    const home = await this.projects.choose(undefined, resource);
    const drafts = home === undefined ? [] : await this.composer.begun.of(targetOf(home));
    if (home === undefined || drafts.length === 0) {
      return home && { home };
    }
    const options = {
      title: vscode.l10n.t('A prompt for {0} was begun and not sent', toLabel(home.projectName ?? home.projectId, 50)),
      placeHolder: vscode.l10n.t('Where should the text go? Escape adds nothing'),
      ignoreFocusOut: true,
    };
    const picked = await vscode.window.showQuickPick(itemsToAddTo(drafts), options);
    return picked && { home, draft: picked.draft };
  }

  private openAt({ home, draft }: PromptPlace): Promise<vscode.TextEditor> {
    return draft === undefined ? this.composer.openEmpty(home) : this.composer.openDraft(draft);
  }

  /** The notice names the first, the log all. */
  private tell(refused: readonly string[]): void {
    const more = refused.length - MAX_TOLD;
    const told = refused.slice(0, MAX_TOLD).map((sentence) => toNotice(sentence, 160));
    if (more > 0) {
      refused.forEach((sentence) => this.log.info(`not added to the prompt: ${sentence}`));
      told.push(vscode.l10n.t('And {0} more: the log names them.', more));
    }
    void vscode.window.showWarningMessage(told.join(' '));
  }

  /** The prompt that holds the word, which is taken out, with the cursor where it was; undefined when it is gone. */
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

/** The prompt at hand may be for another project than that of the folder which the context is from. */
function tellOtherProject(prompt: vscode.Uri, resource: vscode.Uri | undefined): void {
  const folder = resource && vscode.workspace.getWorkspaceFolder(resource);
  const target = readTarget(prompt);
  if (folder === undefined || target?.kind !== 'new' || target.service !== 'hosted') {
    return;
  }
  const own = settings.projectId(folder.uri);
  if (own !== '' && own !== target.projectId) {
    const text = vscode.l10n.t(
      'Added to the prompt for {0}; the folder {1} belongs to {2}',
      toLabel(target.projectId, 40),
      toLabel(folder.name, 40),
      toLabel(own, 40),
    );
    vscode.window.setStatusBarMessage(`$(warning) ${toPickLabel(text)}`, 10_000);
  }
}
