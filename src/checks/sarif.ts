import type { Finding } from './finding';

type Rule = Finding['rule'];

const RULES: Readonly<Record<Rule, { description: string; level: 'warning' | 'note' | 'error' }>> = {
  'gone-name': { description: 'A name that was in the code when its line was written, and is gone.', level: 'warning' },
  'unknown-name': { description: 'A name that is nowhere in the code.', level: 'warning' },
  'broken-link': { description: 'A link that leads nowhere.', level: 'error' },
  'missing-image': { description: 'An image that does not exist.', level: 'error' },
  'invalid-code': { description: 'A code block that is not valid in its language.', level: 'error' },
};

/** The findings as SARIF 2.1.0, which code hosts can show. */
export function toSarif(findings: readonly Finding[], describe: (finding: Finding) => string): object {
  const ids = Object.keys(RULES);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Docs Agent Check',
            rules: Object.entries(RULES).map(([id, { description, level }]) => ({
              id,
              shortDescription: { text: description },
              defaultConfiguration: { level },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: ids.indexOf(finding.rule),
          level: RULES[finding.rule].level,
          message: { text: describe(finding) },
          locations: [locationOf(finding)],
          partialFingerprints: { docsAgentFinding: fingerprint(finding) },
        })),
      },
    ],
  };
}

function locationOf({ place: { path, line, column, endColumn } }: Finding): object {
  const uri = path.split('/').map(encodeURIComponent).join('/');
  return {
    physicalLocation: {
      artifactLocation: { uri, uriBaseId: '%SRCROOT%' },
      region: { startLine: line, startColumn: column, endColumn },
    },
  };
}

/** The same for the same finding on another line. */
function fingerprint(finding: Finding): string {
  const what =
    'name' in finding ? finding.name : 'target' in finding ? finding.target : `${finding.language} ${finding.message}`;
  return [finding.rule, finding.place.path, what].join(':').slice(0, 500);
}
