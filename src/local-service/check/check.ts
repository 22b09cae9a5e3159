import { MAX_SARIF_RESULTS } from '../../base/limits';
import { join, resolve } from 'node:path';
import { showInvisible } from '../../base/text';
import { type AddedCheck, checkAddedLines } from '../../checks/addedLines';
import { DEFAULT_LIMITS } from '../../checks/ports';
import {
  type ChecksConfiguration,
  CONFIGURATION_FILE,
  NO_CONFIGURATION,
  readConfiguration,
} from '../../checks/configuration';
import { sayFinding, shortened } from '../../checks/describe';
import type { Coverage, Finding } from '../../checks/finding';
import { checkGoneNames } from '../../checks/goneNames';
import { GitRepository } from '../../checks/repository/gitRepository';
import { CacheFile } from '../../checks/repository/cacheFile';
import { DependencyTypes } from '../../checks/repository/dependencyTypes';
import { toSarif } from '../../checks/sarif';
import { Git } from '../../git/git';
import { UsageError } from '../options';
import { userCacheFolder } from '../dataFolder';
import { checkUsage, type CheckCommandLine, parseCheckCommandLine } from './checkCommandLine';
import { describeCoverage } from './describeCoverage';
import { writeReport } from './writeReport';

/** Exit codes of `check`. */
const NOTHING_FOUND = 0;
const FOUND = 1;
const COULD_NOT_RUN = 2;

/** The longest wait for git processes to end after a signal, in milliseconds. */
const END_MS = 50;
/** How often progress is printed at most, in milliseconds. */
const PROGRESS_MS = 100;
const MAX_CONFIGURATION = 1_000_000;

/**
 * Runs the check and returns its exit code.
 *
 * @param called how users call the program, for its help
 */
export async function check(args: string[], called: string): Promise<number> {
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      ending.abort(new Error('The check was ended.'));
      setTimeout(() => process.exit(COULD_NOT_RUN), END_MS);
    });
  }
  // The reader of the output may stop reading at any time.
  process.stdout.on('error', () => process.exit(COULD_NOT_RUN));
  try {
    const commandLine = parseCheckCommandLine(args);
    if (commandLine === undefined) {
      process.stdout.write(checkUsage(called));
      return NOTHING_FOUND;
    }
    return await run(commandLine, ending.signal);
  } catch (error) {
    if (ending.signal.aborted) {
      // All git processes have ended.
      process.exit(COULD_NOT_RUN);
    }
    process.stderr.write(`docs-agent-check: ${toLine(error instanceof Error ? error.message : String(error))}\n`);
    return COULD_NOT_RUN;
  }
}

async function run(commandLine: CheckCommandLine, signal: AbortSignal): Promise<number> {
  const git = new Git(process.env);
  const open = (folder: string): Promise<GitRepository> => GitRepository.open(git, resolve(folder), signal);
  const own = await open(commandLine.folder);
  const others = await Promise.all(commandLine.code.map(open));
  const configuration = await configurationOf(own);
  const output = new Output(commandLine.json);
  const listener = {
    finding: (finding: Finding) => output.finding(finding),
    progress: (done: number, total: number) => output.progress(done, total),
  };
  const repositories = [own, ...others] as const;
  const common = { repositories, configuration, limits: DEFAULT_LIMITS, listener, now: () => performance.now() };
  const coverage =
    commandLine.range === undefined
      ? await checkGoneNames({ ...common, cache: commandLine.cache ? cacheOf([own, ...others]) : undefined })
      : await checkAddedLines({ ...common, ...(await rangeOf(own, commandLine.range, signal)) });
  output.end(coverage);
  if (commandLine.sarif !== undefined) {
    if (output.findings.length > MAX_SARIF_RESULTS) {
      process.stderr.write(`docs-agent-check: The report has only the first ${MAX_SARIF_RESULTS} findings.\n`);
    }
    const report = `${JSON.stringify(toSarif(output.findings), null, 2)}\n`;
    await writeReport(commandLine.sarif, report);
  }
  return output.findings.length === 0 ? NOTHING_FOUND : FOUND;
}

function cacheOf(repositories: readonly GitRepository[]): CacheFile {
  const folders = repositories.map(({ folder }) => folder);
  return new CacheFile(join(userCacheFolder(process.env), 'checks'), folders);
}

/** The lines that a branch added: since it left the base, if they have a common commit. */
async function rangeOf(
  repository: GitRepository,
  range: { base: string; head: string },
  signal: AbortSignal,
): Promise<Pick<AddedCheck, 'base' | 'head' | 'dependencies'>> {
  const [base, head] = await Promise.all([commitOf(repository, range.base), commitOf(repository, range.head)]);
  const paths = async (): Promise<string[]> => (await repository.tree(head)).files.map(({ path }) => path);
  const dependencies = new DependencyTypes(repository, paths, signal);
  return { base: (await repository.mergeBase(base, head)) ?? base, head, dependencies };
}

async function commitOf(repository: GitRepository, revision: string): Promise<string> {
  const commit = await repository.resolve(revision);
  if (commit === undefined) {
    throw new UsageError(`There is no commit “${revision.slice(0, 100)}”. In CI, fetch the full history.`);
  }
  return commit;
}

async function configurationOf(repository: GitRepository): Promise<ChecksConfiguration> {
  const bytes = await repository.read(CONFIGURATION_FILE, MAX_CONFIGURATION);
  return bytes === undefined ? NO_CONFIGURATION : readConfiguration(new TextDecoder().decode(bytes));
}

/** Prints what happens: lines for people, or one JSON object per line. */
class Output {
  readonly findings: Finding[] = [];
  private lastProgress = -Infinity;

  constructor(private readonly json: boolean) {}

  finding(finding: Finding): void {
    this.findings.push(finding);
    const { path, line, column } = finding.place;
    this.print({ type: 'finding', finding }, `${path}:${line}:${column}  ${sayFinding(finding, shortened)}`);
  }

  progress(done: number, total: number): void {
    const now = performance.now();
    if (now - this.lastProgress > PROGRESS_MS) {
      this.lastProgress = now;
      this.print({ type: 'progress', done, total });
    }
  }

  end(coverage: Coverage): void {
    this.print({ type: 'end', coverage }, describeCoverage(coverage));
  }

  private print(event: object, words?: string): void {
    if (this.json) {
      process.stdout.write(`${JSON.stringify(event)}\n`);
    } else if (words !== undefined) {
      process.stdout.write(`${toLine(words)}\n`);
    }
  }
}

/** One line for a terminal: a path, a subject, or what git says may contain anything. */
function toLine(words: string): string {
  return showInvisible(words).replace(/\p{Cc}/gu, '�');
}
