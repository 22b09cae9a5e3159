import * as vscode from 'vscode';
import type { Evidence, Finding } from '../../checks/finding';
import { toLabel, toQuestion } from '../platform/sanitize';

const HASH_LENGTH = 7;

/** Maximum length of a name, a link target, or a message, in characters. */
const MAX_TEXT = 120;

/** What is wrong, for the Problems view and the page of a job. One line. */
export function findingMessage(finding: Finding): string {
  switch (finding.rule) {
    case 'gone-name':
      return goneMessage(finding);
    case 'changed-default': {
      const { name, documented, current, evidence } = finding;
      return [
        vscode.l10n.t('The default of “{0}” is {1}, not {2}.', shown(name), shown(current), shown(documented)),
        vscode.l10n.t('Changed in {0} (“{1}”).', ...commitTexts(evidence)),
      ].join(' ');
    }
    case 'unknown-name': {
      const name = shown(finding.name);
      return finding.certainty === 'certain'
        ? vscode.l10n.t('“{0}” isn’t in the code, its history, or its dependencies.', name)
        : vscode.l10n.t('“{0}” was not found in the code.', name);
    }
    case 'broken-link': {
      const target = shown(finding.target);
      return finding.problem === 'file'
        ? vscode.l10n.t('The link “{0}” doesn’t lead to a file.', target)
        : vscode.l10n.t('The link “{0}” leads to a page without this heading.', target);
    }
    case 'missing-image':
      return vscode.l10n.t('The image “{0}” doesn’t exist.', shown(finding.target));
    case 'invalid-code':
      return vscode.l10n.t(
        'This block isn’t valid {0}: {1}',
        shown(finding.language).toUpperCase(),
        shown(finding.message),
      );
  }
}

function goneMessage({ name, evidence, successor }: Extract<Finding, { rule: 'gone-name' }>): string {
  const sentences = [vscode.l10n.t('“{0}” is no longer in the code.', shown(name))];
  if (evidence !== null) {
    sentences.push(vscode.l10n.t('Removed in {0} (“{1}”).', ...commitTexts(evidence)));
  }
  if (successor !== null) {
    sentences.push(vscode.l10n.t('Probably replaced by “{0}”.', shown(successor)));
  }
  return sentences.join(' ');
}

function commitTexts({ commit: { commit, subject } }: Evidence): [string, string] {
  return [commit.slice(0, HASH_LENGTH), toLabel(subject)];
}

/** An invisible character can be why a name isn’t found, so it is shown. */
function shown(text: string): string {
  return toQuestion(text, MAX_TEXT);
}
