import * as vscode from 'vscode';
import type { Logger } from '../../../../base/logger';
import type { TrackedJob } from '../../../../jobs/trackedJob';
import { toBoxLine, toNotice } from '../../../platform/sanitize';
import type { Drafts } from '../../../sending/drafts';
import type { OtherTime } from '../../../sending/followUps';
import { PromptError, saveErrorText, whyUnsaved } from '../../../sending/promptLimits';
import type { SendGuard } from '../../../sending/sendGuard';
import { type Outcome, type PromptRequest, type PromptTarget, sendPrompt } from '../../../sending/sendPrompt';
import { type Choice, PromptSession } from './promptSession';

const COMPOSE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('edit'),
  tooltip: vscode.l10n.t('Continue in Editor'),
};
const PASTE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('clippy'),
  tooltip: vscode.l10n.t('Paste Clipboard into Editor (keeps line breaks)'),
};

export interface PromptBoxOptions extends PromptTarget {
  title: string;
  placeholder: string;
  /** Initial text. An unsent draft for the same target takes precedence. */
  value?: string;
  /** Draft key: reopening the box with the same key restores text that was typed but not sent. */
  draft: string;
  /** A warning to show below the box, such as what a send will interrupt. */
  hint?: string | undefined;
  /** Enter on an empty box counts as an answer. */
  allowEmpty?: boolean;
  /** A second way to send, shown as a button of the box. */
  other?: OtherTime | undefined;
  /** Continues in an editor document, which allows multiple lines. Resolves once the text is safe there. */
  compose?: (text: string) => Promise<unknown>;
}

/** A text that was not typed, and how to continue with it in the editor. */
export type GivenText = PromptTarget &
  Required<Pick<PromptBoxOptions, 'compose'>> &
  Pick<PromptRequest, 'time' | 'isFromProgram'> & { text: string };

/** Asks for a prompt without ever losing it: typed text is kept until it is saved elsewhere. */
export class PromptBox {
  constructor(private readonly options: { drafts: Drafts; guard: SendGuard; log: Logger }) {}

  /**
   * Returns the job once the prompt was sent, or undefined when the box was closed. While the prompt can't be saved, the
   * box stays open with its text and shows the reason.
   */
  async ask(options: PromptBoxOptions): Promise<TrackedJob | undefined> {
    const { title, placeholder, value: initial = '', draft, hint, allowEmpty = false, other, compose } = options;
    const { drafts } = this.options;
    const text = (await drafts.open(draft)) ?? initial;
    const box = vscode.window.createInputBox();
    box.title = title;
    box.placeholder = placeholder;
    const icon = new vscode.ThemeIcon(other?.time === 'now' ? 'send' : 'clock');
    const second: vscode.QuickInputButton = { iconPath: icon, tooltip: other?.label ?? '' };
    box.buttons = [...(other === undefined ? [] : [second]), ...(compose === undefined ? [] : [COMPOSE, PASTE])];
    const session = new PromptSession({ box, drafts, draft, text, initial, hint, allowEmpty });
    box.onDidTriggerButton((button) =>
      session.choose(button === COMPOSE ? 'edit' : button === PASTE ? 'paste' : (other?.time ?? 'enter')),
    );
    let failure: unknown;
    for (let choice = await session.next(); choice !== undefined; choice = await session.next()) {
      const result = await this.act(options, session.text, choice);
      if (result.outcome === 'sent' || result.outcome === 'saved') {
        session.accept();
        return result.outcome === 'sent' ? result.sending.finished : undefined;
      }
      const error = result.outcome === 'failed' ? result.error : undefined;
      session.reject(error === undefined ? undefined : saveErrorText(error, toBoxLine));
      failure = session.isClosed ? error : undefined;
    }
    const unsaved: unknown = await session.close().catch((error: unknown) => error);
    this.offer(failure ?? unsaved, options);
    return undefined;
  }

  /** Sends a text without a box. If saving it fails, it opens in the editor. */
  async send({ text, compose, ...target }: GivenText): Promise<TrackedJob | undefined> {
    const edit = (): Promise<unknown> => compose(text);
    const result = await sendPrompt(this.options, { ...target, text: () => text, edit });
    if (result.outcome === 'failed') {
      void vscode.window.showErrorMessage(saveErrorText(result.error, toNotice));
      await edit().catch(async (failure: unknown) => {
        this.options.log.error('couldn’t open a prompt in the editor', failure);
        // If not even a draft can be saved, the text is in an unsaved document of the editor.
        await vscode.window.showTextDocument(
          await vscode.workspace.openTextDocument({ content: text, language: 'markdown' }),
        );
      });
    }
    return result.outcome === 'sent' ? result.sending.finished : undefined;
  }

  /** Does with a text what the user has chosen. */
  private async act({ compose, ...target }: PromptBoxOptions, text: string, choice: Choice): Promise<Outcome> {
    const edit = async (pasted = ''): Promise<void> => {
      try {
        await compose?.([text, pasted].filter((each) => each.trim() !== '').join('\n\n'));
      } catch (error) {
        const why = toBoxLine(whyUnsaved(error), 200);
        const text = vscode.l10n.t('Couldn’t open the prompt in the editor: {0}. Its text was kept here.', why);
        throw new PromptError(text, { cause: error });
      }
    };
    if (choice !== 'edit' && choice !== 'paste') {
      return sendPrompt(this.options, {
        ...target,
        text: () => text,
        time: choice === 'enter' ? undefined : choice,
        ...(compose && { edit: () => edit() }),
      });
    }
    try {
      await edit(choice === 'paste' ? await vscode.env.clipboard.readText() : '');
      return { outcome: 'saved' };
    } catch (error) {
      this.options.log.error('couldn’t open a prompt in the editor', error);
      return { outcome: 'failed', error };
    }
  }

  /** Offers to open a text again that neither a prompt nor a draft could be saved from. */
  private offer(error: unknown, options: PromptBoxOptions): void {
    if (error === undefined) {
      return;
    }
    const open = vscode.l10n.t('Open Prompt');
    const reopen = async (): Promise<void> => {
      if ((await vscode.window.showErrorMessage(saveErrorText(error, toNotice), open)) === open) {
        await this.ask(options);
      }
    };
    reopen().catch((failure: unknown) => this.options.log.error('couldn’t reopen a prompt', failure));
  }
}
