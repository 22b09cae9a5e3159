import { createHash } from 'node:crypto';
import { sayFinding, shortened } from './describe';
import type { Finding } from './finding';
import { fingerprint, levelOf } from './sarif';

const SEVERITY = { error: 'major', warning: 'minor', note: 'info' } as const;

/** The findings as a Code Quality report, which GitLab shows in merge requests. It doesn't read SARIF there. */
export function toCodeQuality(findings: readonly Finding[]): object[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const { path, line } = finding.place;
    const what = fingerprint(finding);
    // GitLab merges those with the same fingerprint.
    const count = (seen.get(what) ?? 0) + 1;
    seen.set(what, count);
    return {
      description: sayFinding(finding, shortened),
      check_name: finding.rule,
      fingerprint: createHash('sha256').update(`${what}:${count}`).digest('hex'),
      severity: SEVERITY[levelOf(finding)],
      location: { path, lines: { begin: line } },
    };
  });
}
