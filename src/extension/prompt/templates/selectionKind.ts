import * as vscode from 'vscode';
import { BUDGETS } from '../../../prompt/budgets';
import { selectionBlocks } from '../../../prompt/selectionPrompt';
import type { ContextKind } from '../context/contextKind';
import { editorSelections } from '../editorSelections';

const { t } = vscode.l10n;

/** What is selected in the active editor. */
export const selectionKind: ContextKind = {
  name: 'selection',
  label: t('Selection'),
  icon: 'list-selection',
  atHand: () => (editorSelections().length === 0 ? undefined : t('selected text')),
  collect: () => Promise.resolve({ blocks: selectionBlocks(editorSelections(), BUDGETS.selections), refused: [] }),
};
