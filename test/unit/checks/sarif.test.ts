import { MAX_SARIF_RESULTS } from '../../../src/base/limits';
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import schemaOfSarif from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { Finding, Place } from '../../../src/checks/finding';
import { toSarif } from '../../../src/checks/sarif';
import { SAMPLE_FINDINGS } from '../../support/findings';

const place: Place = { path: 'docs/a b/ü#1?.md', line: 3, column: 5, endColumn: 12 };
const FINDINGS = SAMPLE_FINDINGS.map((finding) => ({ ...finding, place }));

interface Report {
  $schema: string;
  runs: {
    tool: { driver: { rules: Record<string, unknown>[] } };
    results: {
      ruleId: string;
      ruleIndex: number;
      locations: { physicalLocation: { artifactLocation: { uri: string }; region: Record<string, number> } }[];
      partialFingerprints: Record<string, string>;
    }[];
  }[];
}

function report(findings: readonly Finding[]): Report {
  return JSON.parse(JSON.stringify(toSarif(findings))) as Report;
}

describe('findings as SARIF', () => {
  it('follow the schema of SARIF 2.1.0', () => {
    // It is written in draft 4, and uses nothing that is different in newer ones.
    const { $schema, id, ...schema } = schemaOfSarif;
    match($schema + id, /draft-04.*sarif-2\.1\.0/);
    // A pattern of the schema is only valid without the flag.
    const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
    (addFormats as unknown as (to: Ajv) => void)(ajv);
    const validate = ajv.compile(schema);
    for (const findings of [FINDINGS, []]) {
      validate(report(findings));
      deepStrictEqual(validate.errors, null);
    }
    validate({ ...report([]), runs: [{ results: [{ level: 'fatal' }] }] });
    ok((validate.errors?.length ?? 0) >= 3, 'it finds what is missing, and what is wrong');
  });

  it('have what GitHub requires', () => {
    const { $schema, runs } = report(FINDINGS);
    match($schema, /^https:/);
    const [run] = runs;
    ok(run?.results.length === FINDINGS.length);
    for (const rule of run.tool.driver.rules) {
      for (const member of ['shortDescription', 'fullDescription', 'help']) {
        match((rule[member] as { text: string }).text, /^.{10,1000}$/);
      }
    }
    for (const { ruleId, ruleIndex, locations, partialFingerprints } of run.results) {
      strictEqual(run.tool.driver.rules[ruleIndex]?.['id'], ruleId);
      deepStrictEqual(locations, [
        {
          physicalLocation: {
            artifactLocation: { uri: 'docs/a%20b/%C3%BC%231%3F.md', uriBaseId: '%SRCROOT%' },
            region: { startLine: 3, startColumn: 5, endLine: 3, endColumn: 12 },
          },
        },
      ]);
      ok(Object.values(partialFingerprints).every((value) => value !== ''));
    }
    const many = Array.from({ length: MAX_SARIF_RESULTS + 1 }, () => FINDINGS[0]!);
    strictEqual(report(many).runs[0]?.results.length, 25_000);
  });

  it('have the same fingerprint on another line', () => {
    const moved = FINDINGS.map((finding) => ({ ...finding, place: { ...finding.place, line: 9 } }));
    const fingerprints = (findings: readonly Finding[]) =>
      report(findings).runs[0]?.results.map(({ partialFingerprints }) => partialFingerprints);
    deepStrictEqual(fingerprints(moved), fingerprints(FINDINGS));
  });
});
