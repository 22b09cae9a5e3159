import { checkPages as checkAll, type PagesCheck } from '../../src/checks/checkPages';
import { type CacheStore, DEFAULT_LIMITS } from '../../src/checks/ports';
import { type ChecksConfiguration, NO_CONFIGURATION } from '../../src/checks/configuration';
import type { Coverage, Finding } from '../../src/checks/finding';
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
  limits: Partial<PagesCheck['limits']> = {},
  cache?: CacheStore,
): Promise<CheckResult> {
  const parts = await partsOf(folders, configuration);
  const coverage = await checkAll({ ...parts, limits: { ...DEFAULT_LIMITS, ...limits }, cache });
  return { findings: parts.findings, coverage };
}

/** Checks the lines that were added between two commits. */
export async function checkLines(folder: string, base: string, head: string): Promise<CheckResult> {
  const parts = await partsOf([folder], {});
  const [own] = parts.repositories;
  const [from = '', to = ''] = [await own.resolve(base), await own.resolve(head)];
  const paths = async () => (await own.tree(to)).files.map(({ path }) => path);
  const dependencies = new DependencyTypes(own, paths, parts.signal);
  const coverage = await checkAll({ ...parts, range: { base: from, head: to, dependencies } });
  return { findings: parts.findings, coverage };
}

/** The names of findings about names. */
export function namesIn(findings: readonly Finding[], rule: Finding['rule']): string[] {
  return findings.flatMap((finding) => (finding.rule === rule && 'name' in finding ? [finding.name] : []));
}
