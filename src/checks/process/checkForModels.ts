import { dropInvisible, truncateWithEllipsis } from '../../base/text';
import { sayFinding, shortened } from '../describe';
import { describeCoverage } from '../describeCoverage';
import { byPlace, type Finding } from '../finding';
import { CheckFailed, type CheckRun, runCheck } from './runCheck';

/** Clients of tools wait for an answer for a minute. In milliseconds. */
const LIMIT_MS = 50_000;
const MAX_FINDINGS = 100;
const MAX_TEXT = 500;

/** Runs the check, and says in a sentence what it has found. Throws with a message for a model. */
export async function checkForModels(
  run: Omit<CheckRun, 'onFinding' | 'onProgress' | 'range'>,
  base: string | undefined,
  limitMs = LIMIT_MS,
) {
  const found: Finding[] = [];
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(limitMs)]);
  const range = base === undefined ? {} : { range: { base, commit: 'HEAD' } };
  const events = { onFinding: (finding: Finding) => found.push(finding), onProgress: () => undefined };
  const coverage = await runCheck({ ...run, ...range, ...events, signal }).catch((error: unknown) => {
    const why = error instanceof CheckFailed ? textOf(error.message) : String(error);
    throw new Error(`The documentation could not be checked: ${why}`);
  });
  const shown = found.sort(byPlace).slice(0, MAX_FINDINGS);
  const sentences = [
    `${found.length} ${found.length === 1 ? 'problem was' : 'problems were'} found.`,
    shown.length < found.length ? `The first ${shown.length} are listed.` : '',
    coverage === undefined
      ? 'The check took too long and was ended, so there may be more.'
      : describeCoverage(coverage),
  ];
  return {
    sentence: sentences.filter((each) => each !== '').join(' '),
    problems: shown.map((finding) => ({
      ...{ page: finding.place.path, line: finding.place.line, certainty: finding.certainty },
      problem: textOf(sayFinding(finding, shortened)),
      evidence: 'evidence' in finding ? finding.evidence : undefined,
    })),
  };
}

function textOf(text: string): string {
  return dropInvisible(truncateWithEllipsis(text, MAX_TEXT));
}
