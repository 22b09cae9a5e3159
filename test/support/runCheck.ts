import { type AddedCheck, checkAddedLines } from '../../src/checks/addedLines';
import { DEFAULT_LIMITS } from '../../src/checks/ports';
import { type ChecksConfiguration, NO_CONFIGURATION } from '../../src/checks/configuration';
import type { Coverage, Finding } from '../../src/checks/finding';
import { checkGoneNames } from '../../src/checks/goneNames';
import { DependencyTypes } from '../../src/checks/repository/dependencyTypes';
import { GitRepository } from '../../src/checks/repository/gitRepository';
import { Git } from '../../src/git/git';

export interface CheckResult {
  findings: Finding[];
  coverage: Coverage;
}

/** The parts of a check with a real repository. */
async function partsOf(folders: readonly [string, ...string[]], configuration: Partial<ChecksConfiguration>) {
  const git = new Git(process.env);
  const { signal } = new AbortController();
  const findings: Finding[] = [];
  const [own, ...others] = await Promise.all(folders.map((folder) => GitRepository.open(git, folder, signal)));
  return {
    repositories: [own!, ...others] as const,
    configuration: { ...NO_CONFIGURATION, ...configuration },
    limits: DEFAULT_LIMITS,
    findings,
    listener: { finding: (finding: Finding) => void findings.push(finding), progress: () => undefined },
    now: () => performance.now(),
    signal,
  };
}

/** Checks all pages of the first repository. */
export async function checkPages(
  folders: readonly [string, ...string[]],
  configuration: Partial<ChecksConfiguration> = {},
  limits: Partial<AddedCheck['limits']> = {},
): Promise<CheckResult> {
  const parts = await partsOf(folders, configuration);
  const coverage = await checkGoneNames({ ...parts, limits: { ...DEFAULT_LIMITS, ...limits } });
  return { findings: parts.findings, coverage };
}

/** Checks the lines that were added between two commits. */
export async function checkLines(folder: string, base: string, head: string): Promise<CheckResult> {
  const parts = await partsOf([folder], {});
  const [own] = parts.repositories;
  const [from = '', to = ''] = [await own.resolve(base), await own.resolve(head)];
  const paths = async () => (await own.tree(to)).files.map(({ path }) => path);
  const dependencies = new DependencyTypes(own, paths, parts.signal);
  const coverage = await checkAddedLines({ ...parts, base: from, head: to, dependencies });
  return { findings: parts.findings, coverage };
}

/** The names of findings about names. */
export function namesIn(findings: readonly Finding[], rule: Finding['rule']): string[] {
  return findings.flatMap((finding) => (finding.rule === rule && 'name' in finding ? [finding.name] : []));
}

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
