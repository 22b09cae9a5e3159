import * as vscode from 'vscode';
import type { PullRequestDetails } from '../../client';
import { numberText } from '../platform/numberText';
import { WARNING_COLOR } from './waiting';

/** What a row says about an open pull request: what asks for attention, and how much was said about it. */
export function reviewTexts(details: PullRequestDetails | undefined): string[] {
  const { isDraft, isReviewRequested, comments = 0, checks } = details ?? {};
  const texts = [
    isDraft === true ? vscode.l10n.t('draft') : '',
    checks === 'failing' ? vscode.l10n.t('checks failing') : '',
    isReviewRequested === true ? vscode.l10n.t('review requested') : '',
    comments === 0 ? '' : commentsText(comments),
  ];
  return texts.filter((text) => text !== '');
}

/** Like `reviewTexts`, with the checks that ask for nothing. */
export function allReviewTexts(details: PullRequestDetails | undefined): string[] {
  switch (details?.checks) {
    case 'passing':
      return [vscode.l10n.t('checks passing'), ...reviewTexts(details)];
    case 'pending':
      return [vscode.l10n.t('checks running'), ...reviewTexts(details)];
    default:
      return reviewTexts(details);
  }
}

/** The icon of a pull request that is not simply ready. A failing check is a warning: the job itself did not fail. */
export function reviewIcon(details: PullRequestDetails | undefined): vscode.ThemeIcon | undefined {
  const { isDraft, checks } = details ?? {};
  const icon = isDraft === true ? 'git-pull-request-draft' : 'git-pull-request';
  if (checks === 'failing') {
    return new vscode.ThemeIcon(icon, new vscode.ThemeColor(WARNING_COLOR));
  }
  return isDraft === true ? new vscode.ThemeIcon(icon) : undefined;
}

function commentsText(count: number): string {
  return count === 1 ? vscode.l10n.t('1 comment') : vscode.l10n.t('{0} comments', numberText(count));
}
