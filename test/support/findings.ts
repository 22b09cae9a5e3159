import type { Coverage, Evidence, Finding, Place } from '../../src/checks/finding';

type Of<R extends Finding['rule']> = Extract<Finding, { rule: R }>;

/** A place on a page. */
export const place = (path: string, line: number): Place => ({ path, line, column: 1, endColumn: 5 });

export const coverage = (pages: number, ...reasons: Coverage['notChecked'][number]['reason'][]): Coverage => ({
  pages,
  ...{ leftOut: 0, names: 1, links: 0, defaults: 0 },
  notChecked: reasons.map((reason) => ({ reason, count: 1 })),
});

export const EVIDENCE: Evidence = {
  commit: { commit: '0123456789abcdef0123456789abcdef01234567', subject: 'Rename the retry options', date: 1 },
  repository: 0,
  path: 'src/retry.ts',
  line: 7,
  before: 'const attempts = 5;',
  after: 'const maxAttempts = 5;',
};

export const evidenceOf = (subject: string): Evidence => ({ ...EVIDENCE, commit: { ...EVIDENCE.commit, subject } });

export const goneName = (changes: Partial<Of<'gone-name'>> = {}): Of<'gone-name'> => ({
  rule: 'gone-name',
  place: place('docs/a.md', 4),
  name: 'attempts',
  kind: 'identifier',
  certainty: 'certain',
  evidence: EVIDENCE,
  successor: 'maxAttempts',
  ...changes,
});

export const unknownName = (changes: Partial<Of<'unknown-name'>> = {}): Of<'unknown-name'> => ({
  rule: 'unknown-name',
  place: place('docs/a.md', 3),
  name: '--retry\u200b-`max`',
  kind: 'flag',
  certainty: 'likely',
  ...changes,
});

export const brokenLink = (changes: Partial<Of<'broken-link'>> = {}): Of<'broken-link'> => ({
  rule: 'broken-link',
  place: place('docs/b.md', 1),
  target: 'x.md',
  problem: 'file',
  certainty: 'certain',
  evidence: null,
  successor: null,
  ...changes,
});

export const missingImage = (changes: Partial<Of<'missing-image'>> = {}): Of<'missing-image'> => ({
  rule: 'missing-image',
  place: place('docs/b.md', 3),
  target: 'x.png',
  certainty: 'certain',
  evidence: null,
  successor: null,
  ...changes,
});

export const invalidCode = (changes: Partial<Of<'invalid-code'>> = {}): Of<'invalid-code'> => ({
  rule: 'invalid-code',
  place: place('docs/b.md', 5),
  language: 'json',
  message: 'Unexpected\nend',
  certainty: 'certain',
  ...changes,
});

export const changedDefault = (changes: Partial<Of<'changed-default'>> = {}): Of<'changed-default'> => ({
  rule: 'changed-default',
  place: place('docs/c.md', 2),
  name: 'retries',
  kind: 'identifier',
  certainty: 'certain',
  documented: '5',
  current: '3',
  evidence: { ...EVIDENCE, before: 'retries = 5', after: 'retries = 3' },
  ...changes,
});

/** Each kind of finding, with and without what may be unknown. */
export const SAMPLE_FINDINGS: readonly Finding[] = [
  unknownName(),
  goneName(),
  brokenLink(),
  brokenLink({ place: place('docs/b.md', 2), target: 'a.md#x', problem: 'anchor' }),
  missingImage(),
  invalidCode(),
  changedDefault(),
  goneName({ place: place('docs/c.md', 3), evidence: null, successor: null }),
  unknownName({ place: place('docs/c.md', 4), name: 'retryMax', certainty: 'certain' }),
  brokenLink({
    place: place('docs/c.md', 5),
    target: 'old.md',
    evidence: { ...EVIDENCE, path: 'docs/old.md', line: null, before: '', after: null },
    successor: 'docs/new.md',
  }),
];

/** Each kind of finding with the same text wherever a text is. */
export function findingsWith(text: string): Finding[] {
  const at = place(text, 1);
  const evidence = { ...evidenceOf(text), path: text, before: text, after: text };
  return [
    unknownName({ place: at, name: text }),
    goneName({ place: at, name: text, evidence, successor: text }),
    changedDefault({ place: at, name: text, documented: text, current: text, evidence }),
    brokenLink({ place: at, target: text, problem: 'anchor' }),
    brokenLink({ place: at, target: text, evidence, successor: text }),
    missingImage({ place: at, target: text, evidence, successor: text }),
    invalidCode({ place: at, language: text, message: text }),
  ];
}
