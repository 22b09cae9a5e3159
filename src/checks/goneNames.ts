import { type CheckLimits, type CheckListener, CoverageCounter } from './checkOptions';
import { type CodeWords, missingGroups } from './codeWords';
import { type NameOnPage, namesOnPage, pageText } from './collectNames';
import type { ChecksConfiguration } from './configuration';
import type { Coverage } from './finding';
import { GoneSearch } from './goneSearch';
import { type PathRules, pathRules } from './paths';
import type { Repository } from './ports';
import { scanCode } from './scanCode';

export interface GoneCheck {
  /** The repository of the pages, then further ones whose code counts. */
  repositories: readonly [Repository, ...Repository[]];
  configuration: ChecksConfiguration;
  limits: CheckLimits;
  listener: CheckListener;
  /** Milliseconds that never jump. */
  now: () => number;
}

/** The names in code font that are absent from the code now, and were in it when their line was written. */
export async function checkGoneNames(check: GoneCheck): Promise<Coverage> {
  const { repositories, configuration, limits, listener } = check;
  const counter = new CoverageCounter();
  const end = check.now() + limits.timeMs;
  const hasTime = (): boolean => check.now() < end;
  const [own] = repositories;
  const rules = pathRules(configuration);
  const heads = await Promise.all(repositories.map((repository) => headOf(repository)));
  const trees = await Promise.all(repositories.map((repository, at) => repository.tree(heads[at] ?? '')));

  const pages = (trees[0]?.files ?? []).filter(({ path }) => rules.isPage(path));
  const files = trees.map((tree, at) => tree.files.filter(({ path }) => codeRules(rules, at).isCode(path)).length);
  const lacking = (await Promise.all(repositories.map((repository) => repository.lacksHistory()))).some(Boolean);
  const commits = lacking
    ? []
    : await Promise.all(repositories.map((repository, at) => repository.countCommits(heads[at] ?? '')));
  const total = pages.length + sum(files) + sum(commits.map((count) => Math.min(count, limits.commits)));
  let done = 0;
  const advance = (count: number): void => {
    done += count;
    listener.progress(Math.min(done, total), total);
  };

  const ignored = new Set(configuration.ignore.map(({ name }) => name));
  const names: NameOnPage[] = [];
  for (const [at, { path }] of pages.slice(0, limits.pages).entries()) {
    const bytes = await own.read(path, limits.pageBytes);
    const text = bytes === undefined ? undefined : pageText(bytes, counter, limits);
    if (text !== undefined) {
      counter.pages++;
      names.push(...namesOnPage(text, path, (name) => ignored.has(name)));
    }
    if (at % 20 === 19) {
      advance(20);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  counter.skip('files', pages.length - limits.pages);
  counter.names = names.length;
  if (lacking) {
    counter.skip('shallow', counter.pages);
    return counter.coverage();
  }

  const code: CodeWords[] = [];
  for (const [at, repository] of repositories.entries()) {
    const tree = trees[at];
    if (tree !== undefined) {
      const isCodeHere = (path: string): boolean => codeRules(rules, at).isCode(path);
      code.push(await scanCode(repository, tree, { limits, isCode: isCodeHere, hasTime, counter, read: advance }));
    }
  }
  commits.forEach((count) => counter.skip('commits', Math.max(0, count - limits.commits)));
  const isCode = (path: string, at: number): boolean => codeRules(rules, at).isCode(path);
  const search = new GoneSearch({ check, heads, code, isCode, counter, hasTime, advance });
  for (const onPage of names) {
    const missing = missingGroups(onPage.name, code);
    if (missing.length > 0) {
      search.add(onPage, missing);
    }
  }
  await search.run();
  return counter.coverage();
}

/** Our own rules decide what is code in another repository: the configured globs are those of this one. */
function codeRules(rules: PathRules, repository: number): PathRules {
  return repository === 0 ? rules : pathRules({ documentation: [], code: [] });
}

async function headOf(repository: Repository): Promise<string> {
  const head = await repository.resolve('HEAD');
  if (head === undefined) {
    throw new Error('The repository has no commit yet.');
  }
  return head;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
