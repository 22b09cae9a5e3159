import { truncateWithEllipsis } from '../../../base/text';
import type { Finding } from '../../../checks/finding';
import { count } from '../../../prompt/budgets';
import { codeSpan } from '../../../prompt/contextBlock';

const HASH_LENGTH = 12;
const MAX_PATH = 300;

/** The text of a follow-up that asks the agent to correct what a check of its result has found. */
export function fixRequest(findings: readonly Finding[], more: number): string {
  const found = findings.length + more;
  const lines = findings.map((finding) => {
    const { path, line } = finding.place;
    return `- ${codeSpan(truncateWithEllipsis(path, MAX_PATH))}, line ${line}: ${problem(finding)}`;
  });
  const rest = more === 0 ? [] : [`- … and ${more} more`];
  return [
    `A check of the lines that you added found ${count(found, 'problem')}. Look at the code and correct ${found === 1 ? 'it' : 'each of them'}. If something is right as it is, leave it and say why.`,
    '',
    ...lines,
    ...rest,
  ].join('\n');
}

/** Describes a finding in English, like the rest of a prompt. */
function problem(finding: Finding): string {
  switch (finding.rule) {
    case 'gone-name': {
      const { name, removed, successor } = finding;
      const by = removed === null ? '' : `, removed in ${removed.commit.slice(0, HASH_LENGTH)}`;
      const likely = successor === null ? '' : `, likely successor ${codeSpan(successor)}`;
      return `${codeSpan(name)} is no longer in the code${by}${likely}`;
    }
    case 'unknown-name':
      return `${codeSpan(finding.name)} was not found in the code`;
    case 'broken-link':
      return finding.problem === 'file'
        ? `the link ${codeSpan(finding.target)} doesn’t lead to a file`
        : `the link ${codeSpan(finding.target)} leads to a page without this heading`;
    case 'missing-image':
      return `the image ${codeSpan(finding.target)} doesn’t exist`;
    case 'invalid-code':
      return `this ${codeSpan(finding.language)} isn’t valid: ${codeSpan(finding.message)}`;
  }
}
