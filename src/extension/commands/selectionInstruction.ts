import * as vscode from 'vscode';
import { editorSelections } from '../prompt/editorSelections';
import type { PromptBox } from '../prompt/promptBox';
import { promptWithSelections, selectionAlone } from '../prompt/selectionPrompt';

const { t } = vscode.l10n;

export interface SelectionRequest {
  title: string;
  draft: string;
  /** What the selection is for; asked for when undefined, and empty when the selection is the prompt. */
  instruction: string | undefined;
  hint?: string | undefined;
}

/** Makes a prompt of what is selected now. Undefined when nothing is, which is told, or when the user cancelled. */
export async function askWithSelections(prompts: PromptBox, request: SelectionRequest): Promise<string | undefined> {
  // Taken first: while a box is open the editor's selection may change.
  const selections = editorSelections();
  if (selections.length === 0) {
    void vscode.window.showWarningMessage(t('Select some text in an editor first.'));
    return undefined;
  }
  const instruction =
    request.instruction ??
    (await prompts.ask({
      title: request.title,
      placeholder: t('What to do with the selection. Enter alone sends the selection as the prompt'),
      draft: request.draft,
      hint: request.hint,
      allowEmpty: true,
    }));
  if (instruction === undefined) {
    return undefined;
  }
  return instruction.trim() === '' ? selectionAlone(selections) : promptWithSelections(instruction, selections);
}
