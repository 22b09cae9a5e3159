import { truncateWithEllipsis } from '../../base/text';
import { sayFinding, shortened } from '../describe';
import { describeCoverage } from '../describeCoverage';
import { CheckFailed, type CheckRun, gatherFindings } from './runCheck';

/** Clients of tools wait for an answer for a minute. In milliseconds. */
const LIMIT_MS = 50_000;
const MAX_TEXT = 500;

/** Runs the check, and says in a sentence what it has found. Throws with a message for a model. */
export async function checkForModels(
  run: Omit<CheckRun, 'onFinding' | 'onProgress' | 'range'>,
  base: string | undefined,
  limitMs = LIMIT_MS,
) {
  const range = base === undefined ? {} : { range: { base, commit: 'HEAD' } };
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(limitMs)]);
  const { findings, more, coverage } = await gatherFindings({ ...run, ...range, signal }).catch((error: unknown) => {
    const why = error instanceof CheckFailed ? truncateWithEllipsis(error.message, MAX_TEXT) : String(error);
    throw new Error(`The documentation could not be checked: ${why}`);
  });
  const count = findings.length + more;
  const sentences = [
    `${count} ${count === 1 ? 'problem was' : 'problems were'} found.`,
    more === 0 ? '' : `The first ${findings.length} are listed.`,
    coverage === undefined
      ? 'The check took too long and was ended, so there may be more.'
      : describeCoverage(coverage),
  ];
  return {
    sentence: sentences.filter((each) => each !== '').join(' '),
    problems: findings.map((finding) => ({
      ...{ page: finding.place.path, line: finding.place.line, certainty: finding.certainty },
      problem: truncateWithEllipsis(sayFinding(finding, shortened), MAX_TEXT),
      evidence: 'evidence' in finding ? finding.evidence : undefined,
    })),
  };
}
