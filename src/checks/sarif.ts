import { MAX_SARIF_RESULTS } from '../base/limits';
import { sayFinding, shortened } from './describe';
import type { Finding } from './finding';

type Rule = Finding['rule'];

interface RuleText {
  description: string;
  help: string;
  level: 'warning' | 'note' | 'error';
}

const RULES: Readonly<Record<Rule, RuleText>> = {
  'gone-name': {
    description: 'A name that was in the code when its line was written, and is gone.',
    help: 'Use the name that took its place, or remove the text about it.',
    level: 'warning',
  },
  'changed-default': {
    description: 'A default value that the code has changed since it was documented.',
    help: 'Say the current value.',
    level: 'warning',
  },
  'unknown-name': {
    description: 'A name that is nowhere in the code.',
    help: 'Check the spelling. If the name belongs to other software, add it to “ignore” in .docs-agent/checks.json.',
    level: 'note',
  },
  'broken-link': {
    description: 'A link that leads nowhere.',
    help: 'Link to a file and a heading that exist.',
    level: 'error',
  },
  'missing-image': {
    description: 'An image that does not exist.',
    help: 'Add the image, or correct its path.',
    level: 'error',
  },
  'invalid-code': {
    description: 'A code block that is not valid in its language.',
    help: 'Correct the code, or leave out the language if it is only a part.',
    level: 'error',
  },
};

/** The findings as SARIF 2.1.0, which code hosts can show. */
export function toSarif(findings: readonly Finding[]): object {
  const ids = Object.keys(RULES);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Docs Agent Check',
            rules: Object.entries(RULES).map(([id, { description, help, level }]) => ({
              id,
              shortDescription: { text: description },
              fullDescription: { text: description },
              help: { text: help },
              defaultConfiguration: { level },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.slice(0, MAX_SARIF_RESULTS).map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: ids.indexOf(finding.rule),
          level: levelOf(finding),
          message: { text: sayFinding(finding, shortened) },
          locations: [locationOf(finding)],
          partialFingerprints: { 'docsAgentFinding/v1': fingerprint(finding) },
        })),
      },
    ],
  };
}

export function levelOf({ rule, certainty }: Finding): RuleText['level'] {
  return certainty === 'certain' ? RULES[rule].level : 'note';
}

function locationOf({ place: { path, line, column, endColumn } }: Finding): object {
  const uri = path.split('/').map(encodeURIComponent).join('/');
  return {
    physicalLocation: {
      artifactLocation: { uri, uriBaseId: '%SRCROOT%' },
      region: { startLine: line, startColumn: column, endLine: line, endColumn },
    },
  };
}

/**
 * Stays the same when a finding moves to another line. GitHub only uses a hash of the lines, which its upload action
 * adds.
 */
export function fingerprint(finding: Finding): string {
  const what =
    'name' in finding ? finding.name : 'target' in finding ? finding.target : `${finding.language} ${finding.message}`;
  return [finding.rule, finding.place.path, what].join(':').slice(0, 500);
}
