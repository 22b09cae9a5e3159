import { sayFinding, sayInMarkdown } from '../../checks/describe';
import type { Finding } from '../../checks/finding';
import { codeSpan } from '../../prompt/contextBlock';
import { toQuestion } from '../platform/sanitize';
import { translate } from './serviceText';

/** Maximum length of a name, a link target, or a message, in characters. */
const MAX_TEXT = 120;

/**
 * What is wrong, for the Problems view and the page of a job. One line. An invisible character can be why a name isn’t
 * found, so it is shown.
 */
export function findingMessage(finding: Finding): string {
  return sayFinding(finding, (text) => toQuestion(text, MAX_TEXT), translate);
}

/** The same in English Markdown for a prompt, with the line of code before and after. */
export function findingForAgent(finding: Finding): string {
  const said = sayInMarkdown(finding, codeSpan);
  if (!('evidence' in finding) || finding.evidence === null || finding.evidence.before === '') {
    return said;
  }
  const { path, before, after } = finding.evidence;
  const now = after === null ? 'was removed' : `became ${codeSpan(after)}`;
  return `${said} In ${codeSpan(path)}, ${codeSpan(before)} ${now}.`;
}
