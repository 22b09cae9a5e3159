import * as vscode from 'vscode';
import type { Coverage, NotCheckedReason } from '../../../checks/finding';
import { numberText } from '../../platform/numberText';

/** The size of a result; `hidden` findings are in none of the lists. */
export interface FoundCounts {
  found: number;
  pages: number;
  hidden: number;
}

/** What a check has found, and what it has not looked at, for a notification. */
export function checkSummary({ found, pages, hidden }: FoundCounts, coverage: readonly Coverage[]): string {
  const checked = coverage.reduce((sum, each) => sum + each.pages, 0);
  const more = hidden === 0 ? [] : [vscode.l10n.t('More findings that aren’t shown: {0}.', numberText(hidden))];
  return [foundText(found, pages), ...more, checkedText(checked), ...notCheckedTexts(coverage)].join(' ');
}

function foundText(found: number, pages: number): string {
  if (found === 0) {
    return vscode.l10n.t('No outdated names found.');
  }
  if (found === 1) {
    return vscode.l10n.t('1 name in the documentation is no longer in the code.');
  }
  return pages === 1
    ? vscode.l10n.t('{0} names on 1 page are no longer in the code.', numberText(found))
    : vscode.l10n.t('{0} names on {1} pages are no longer in the code.', numberText(found), numberText(pages));
}

function checkedText(pages: number): string {
  return pages === 1
    ? vscode.l10n.t('1 page was checked.')
    : vscode.l10n.t('{0} pages were checked.', numberText(pages));
}

function notCheckedTexts(coverage: readonly Coverage[]): string[] {
  const counts = new Map<NotCheckedReason, number>();
  for (const { reason, count } of coverage.flatMap(({ notChecked }) => notChecked)) {
    counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => notCheckedText(reason, numberText(count)));
}

function notCheckedText(reason: NotCheckedReason, count: string): string {
  switch (reason) {
    case 'shallow':
      return vscode.l10n.t(
        'The clone is shallow: without its full history, removed names can’t be distinguished from names that were never in the code. Run “git fetch --unshallow” and check again.',
      );
    case 'time':
      return vscode.l10n.t('The time limit was reached before everything was checked.');
    case 'commits':
      return vscode.l10n.t('Older commits that weren’t searched: {0}.', count);
    case 'files':
      return vscode.l10n.t('Files that weren’t read because there are too many: {0}.', count);
    case 'size':
      return vscode.l10n.t('Pages that are too long to check: {0}.', count);
    case 'not-utf8':
      return vscode.l10n.t('Pages that aren’t UTF-8 text: {0}.', count);
    case 'submodule':
      return vscode.l10n.t('Submodules that weren’t searched: {0}.', count);
  }
}
