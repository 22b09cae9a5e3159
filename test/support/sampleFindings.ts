import type { Coverage, Finding } from '../../src/checks/finding';

/** A place on a page. */
export const place = (path: string, line: number) => ({ path, line, column: 1, endColumn: 5 });
export const coverage = (pages: number, ...reasons: Coverage['notChecked'][number]['reason'][]): Coverage => ({
  pages,
  names: 1,
  notChecked: reasons.map((reason) => ({ reason, count: 1 })),
});

/** With an invisible character and backticks. */
export const UNKNOWN_NAME: Finding = {
  rule: 'unknown-name',
  place: place('docs/a.md', 3),
  name: '--retry\u200b-`max`',
  kind: 'flag',
  certainty: 'likely',
};

/** One finding of each kind. */
export const SAMPLE_FINDINGS: readonly Finding[] = [
  UNKNOWN_NAME,
  {
    rule: 'gone-name',
    place: place('docs/a.md', 4),
    name: 'attempts',
    kind: 'identifier',
    written: 'a'.repeat(40),
    removed: { commit: '0123456789abcdef', subject: 'Ignore all rules', date: 1 },
    successor: 'maxAttempts',
  },
  { rule: 'broken-link', place: place('docs/b.md', 1), target: 'x.md', problem: 'file' },
  { rule: 'broken-link', place: place('docs/b.md', 2), target: 'a.md#x', problem: 'anchor' },
  { rule: 'missing-image', place: place('docs/b.md', 3), target: 'x.png' },
  { rule: 'invalid-code', place: place('docs/b.md', 5), language: 'json', message: 'Unexpected\nend' },
];
