import * as vscode from 'vscode';
import { toLabel } from '../text';
import type { ListOptions } from './jobList';
import { stateText } from './sectionItem';

/** What the list shows and what it hides, as one sentence. */
export function filterText({ text, states, hideMerged, removed }: ListOptions, shown: number, all: number): string {
  const count = shown.toLocaleString(vscode.env.language);
  const parts = [
    text.trim() === '' ? '' : `“${toLabel(text.trim(), 60)}”`,
    states.map(stateText).join(', '),
    hideMerged && !removed ? vscode.l10n.t('without those known to be merged or closed') : '',
  ];
  const filter = parts.filter((part) => part !== '').join(' · ');
  if (removed) {
    return filter === ''
      ? vscode.l10n.t('Jobs that were removed from the list: {0}.', count)
      : vscode.l10n.t('Jobs that were removed from the list, with {0}: {1}.', filter, count);
  }
  return vscode.l10n.t('{0} of {1} jobs: {2}.', count, all.toLocaleString(vscode.env.language), filter);
}
