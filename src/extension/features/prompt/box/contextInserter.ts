import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import type { ServiceLocation } from '../../../../jobs/events';
import { type ContextBlock, mentionOf, renderBlock } from '../../../../prompt/contextBlock';
import { firstLine, toLabel, toNotice, toPickLabel } from '../../../platform/sanitize';
import { timeText } from '../../../presentation/jobText';
import type { Projects } from '../../../sending/projects';
import type { Composer, Placement } from '../composer/composer';
import type { DraftFile } from '../../../../jobs/store/draftFiles';
import { projectFolder } from '../../../sending/drafts';

/** Maximum number of sentences in a notice. */
const MAX_SHOWN = 5;

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

export function refusal(why: string): Collected {
  return { blocks: [], refused: [why] };
}

export interface Addition extends Collected {
  /** What the agent should do with the context; goes before the blocks. A snippet comes without blocks. */
  instruction?: string | vscode.SnippetString;
  /** Whether the instruction goes above context that is already in the prompt. */
  isAboveContext?: boolean;
  /** How a sentence refers to what is added, if that isn't the heading of its only block. */
  mention?: string;
  /** When a new prompt is opened, the workspace folder of this resource determines the project. */
  resource?: vscode.Uri | undefined;
}

/** The only way to add context to a prompt: as text that the user can see and change before it is sent. */
export class ContextInserter {
  constructor(
    private readonly composer: Composer,
    private readonly projects: Projects,
    private readonly log: Logger,
    private readonly word?: PromptWord,
  ) {}

  /** Returns an inserter whose additions replace the given word. */
  inPlaceOf(word: PromptWord | undefined): ContextInserter {
    return word === undefined ? this : new ContextInserter(this.composer, this.projects, this.log, word);
  }

  /**
   * Adds to the current prompt, or opens one for a new job, unless there is nothing to add or the user cancels.
   *
   * @param isCurrent false to always open the prompt of a new job
   */
  async add(addition: Addition, isCurrent = true): Promise<void> {
    const { instruction = '', blocks, refused, resource, isAboveContext } = addition;
    if (refused.length > 0) {
      this.showRefused(refused);
    }
    const text =
      typeof instruction === 'string'
        ? [instruction, ...blocks.map(renderBlock)].filter((part) => part !== '').join('\n\n')
        : instruction;
    if (text === '') {
      return;
    }
    const mention = addition.mention ?? (blocks.length === 1 ? blocks.map(mentionOf)[0] : undefined);
    const found = isCurrent ? await this.findWord(mention) : undefined;
    const current = found?.editor ?? (isCurrent ? await this.composer.reopen() : undefined);
    const editor = current ?? (await this.openPlace(resource));
    await (editor && this.composer.insert(editor, text, { isAboveContext, inPlaceOf: found?.inPlaceOf }));
  }

  private async openPlace(resource: vscode.Uri | undefined): Promise<vscode.TextEditor | undefined> {
    const location = await this.projects.choose(undefined, resource);
    // The text of a draft would be sent, too.
    return (
      location &&
      openDraft(this.composer, location, {
        placeHolder: vscode.l10n.t('Choose where to add the text. Press Escape to cancel'),
        describe: ({ text }, time) => ({
          label: vscode.l10n.t('Add to the draft from {0}', time),
          description: toPickLabel(firstLine(text)),
        }),
      })
    );
  }

  /** The notice shows the first sentences; the log has all of them. */
  private showRefused(refused: readonly string[]): void {
    const more = refused.length - MAX_SHOWN;
    const shown = refused.slice(0, MAX_SHOWN).map((sentence) => toNotice(sentence, 160));
    if (more > 0) {
      refused.forEach((sentence) => this.log.info(`not added to the prompt: ${sentence}`));
      shown.push(vscode.l10n.t('And {0} more, listed in the log.', more));
    }
    void vscode.window.showWarningMessage(shown.join(' '));
  }

  /**
   * Shows the prompt that contains the word; undefined when the word is gone. In a sentence, a mention will replace the
   * word; otherwise the word is removed, and the cursor is in its place.
   */
  private async findWord(
    mention: string | undefined,
  ): Promise<(Pick<Placement, 'inPlaceOf'> & { editor: vscode.TextEditor }) | undefined> {
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
    if (mention !== undefined && document.lineAt(word.line).text.trim() !== word.text) {
      return { editor, inPlaceOf: { range, word: word.text, mention } };
    }
    if (await editor.edit((edit) => edit.delete(range))) {
      editor.selection = new vscode.Selection(range.start, range.start);
    }
    return { editor };
  }
}

type DescribeDraft = (draft: DraftFile, time: string) => { label: string; description: string };

/** Opens a new prompt, or an existing draft if the user picks one. Undefined when cancelled. */
export async function openDraft(
  composer: Composer,
  location: ServiceLocation,
  { placeHolder, describe }: { placeHolder: string; describe: DescribeDraft },
): Promise<vscode.TextEditor | undefined> {
  const drafts = await composer.list(projectFolder(location));
  if (drafts.length === 0) {
    return composer.openEmpty(location);
  }
  const fresh: DraftItem = { label: `$(add) ${vscode.l10n.t('Start a new prompt')}` };
  const project = toLabel(location.projectName ?? location.projectId, 50);
  const picked = await vscode.window.showQuickPick([fresh, ...draftItems(drafts, describe)], {
    title: vscode.l10n.t('You have an unsent prompt for {0}', project),
    placeHolder,
    ignoreFocusOut: true,
  });
  const { draft } = picked ?? {};
  return picked && (draft === undefined ? composer.openEmpty(location) : composer.open(draft.path));
}

/** Maximum number of drafts offered. */
const MAX_OFFERED = 50;

/** A draft to continue; without `draft`, a new prompt. */
export type DraftItem = vscode.QuickPickItem & { draft?: DraftFile };

/** @param describe gets the time when the draft was saved, with the date unless it was today */
export function draftItems(drafts: readonly DraftFile[], describe: DescribeDraft): DraftItem[] {
  return drafts.slice(0, MAX_OFFERED).map((draft) => {
    const date = new Date(draft.at);
    const isToday = date.toDateString() === new Date().toDateString();
    const long = { dateStyle: 'medium', timeStyle: 'short' } as const;
    const time = isToday ? timeText(draft.at) : date.toLocaleString(vscode.env.language, long);
    const { label, description } = describe(draft, time);
    return { label: `$(edit) ${label}`, description, draft };
  });
}

/** A heading and the rows below it; nothing without rows. */
export function section<T extends vscode.QuickPickItem>(
  label: string,
  rows: readonly T[],
): (vscode.QuickPickItem | T)[] {
  return rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
}
