import * as vscode from 'vscode';
import type { NotCheckedReason, Finding } from '../../../checks/finding';
import type { CheckedResult } from '../../../checks/process/runCheck';
import { numberText } from '../../platform/numberText';
import { findingForAgent, findingMessage } from '../../presentation/findingMessage';
import type { ResultCheck } from './model';
import { shownPath } from './shownPaths';
import { truncateWithEllipsis } from '../../../base/text';
import { count } from '../../../prompt/budgets';
import { codeSpan } from '../../../prompt/contextBlock';

/** Undefined if the job has added nothing to a page, so that there is nothing to say. */
export function resultCheckModel({ findings, more, coverage }: CheckedResult): ResultCheck | undefined {
  const found = findings.length + more;
  if (coverage.pages === 0 && found === 0) {
    return undefined;
  }
  const notChecked = notCheckedText(new Set(coverage.notChecked.map(({ reason }) => reason)));
  return {
    title: found === 0 ? nothingFound(coverage.pages) : foundText(found),
    findings: findings.map((finding) => ({
      place: `${shownPath(finding.place.path)}:${finding.place.line}`,
      text: findingMessage(finding),
    })),
    ...(more === 0 ? {} : { more: vscode.l10n.t('… and {0} more', numberText(more)) }),
    ...(notChecked === undefined ? {} : { notChecked }),
    ...(found === 0 ? {} : { request: fixRequest(findings, more) }),
  };
}

function nothingFound(pages: number): string {
  return pages === 1
    ? vscode.l10n.t('Checked against the code: no problems in the lines added to 1 page.')
    : vscode.l10n.t('Checked against the code: no problems in the lines added to {0} pages.', numberText(pages));
}

function foundText(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 problem in the added lines')
    : vscode.l10n.t('{0} problems in the added lines', numberText(count));
}

function notCheckedText(reasons: ReadonlySet<NotCheckedReason>): string | undefined {
  if (reasons.has('time')) {
    return vscode.l10n.t('The time limit was reached before everything was checked.');
  }
  if (reasons.has('shallow')) {
    return vscode.l10n.t('The clone is shallow, so its history wasn’t searched.');
  }
  return reasons.size === 0 ? undefined : vscode.l10n.t('Not everything could be checked.');
}

const MAX_PATH = 300;

/** The text of a follow-up that asks the agent to correct what a check of its result has found. */
export function fixRequest(findings: readonly Finding[], more: number): string {
  const found = findings.length + more;
  const lines = findings.map((finding) => {
    const { path, line } = finding.place;
    return `- ${codeSpan(truncateWithEllipsis(path, MAX_PATH))}, line ${line}: ${findingForAgent(finding)}`;
  });
  const rest = more === 0 ? [] : [`- … and ${more} more`];
  return [
    `A check of the lines that you added found ${count(found, 'problem')}. Look at the code and correct ${found === 1 ? 'it' : 'each of them'}. If something is right as it is, leave it and say why.`,
    '',
    ...lines,
    ...rest,
  ].join('\n');
}
