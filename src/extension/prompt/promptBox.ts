import * as vscode from 'vscode';

const { t } = vscode.l10n;

export interface PromptBoxOptions {
  title: string;
  placeholder: string;
  /** The text to begin with; the last one that was left in this box when it was closed goes before it. */
  value?: string;
  /** Names what the text is for: a box closed by mistake gives it back when it opens for the same again. */
  draft: string;
  /** A warning to show below the box, such as what a send will interrupt. */
  hint?: string | undefined;
  /** Enter alone is an answer. */
  allowEmpty?: boolean;
}

/** Asks for a prompt and loses none: what was typed stays until it is known to be kept elsewhere. */
export class PromptBox {
  private readonly drafts = new Map<string, string>();

  /** Returns the text, or undefined when the box was closed. */
  ask(options: PromptBoxOptions): Promise<string | undefined> {
    const box = vscode.window.createInputBox();
    box.title = options.title;
    box.placeholder = options.placeholder;
    box.prompt = options.hint;
    box.value = this.drafts.get(options.draft) ?? options.value ?? '';
    box.ignoreFocusOut = true;
    // All of it would be selected, and gone with the first key.
    box.valueSelection = [box.value.length, box.value.length];
    return new Promise((resolve) => {
      box.onDidChangeValue((value) => {
        this.drafts.set(options.draft, value);
        box.validationMessage = undefined;
      });
      box.onDidAccept(() => {
        if (box.value.trim() === '' && options.allowEmpty !== true) {
          box.validationMessage = t('Type what the agent should do. An empty prompt is not sent.');
          return;
        }
        this.drafts.delete(options.draft);
        resolve(box.value);
        box.hide();
      });
      box.onDidHide(() => {
        resolve(undefined);
        box.dispose();
      });
      box.show();
    });
  }

  /** Does what keeps the text elsewhere; should that fail, the box has it again when it opens for the same. */
  async holding<T>(draft: string, text: string, keep: () => Promise<T>): Promise<T> {
    try {
      return await keep();
    } catch (error) {
      if (!this.drafts.has(draft)) {
        this.drafts.set(draft, text);
      }
      throw error;
    }
  }
}
